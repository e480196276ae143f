// SPDX-License-Identifier: Apache-2.0
//
// The list items of a construct's depend clauses, in the form that dependences.h takes, which is
// runs of addresses. The addresses of a run are adjacent in memory and have the same dependence
// type.
//
// The entry points for a compiler extract the runs from that compiler's data layout
// (abi/gomp_depend.h) and own them. The runs stay valid until the call to which they are passed
// returns: this folder keeps none of them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace teff::task {

// The first three have the values of DependKind (depend_table.h).
enum class ItemKind : std::uint8_t { kIn, kOut, kInoutset, kInout, kMutexinoutset };

struct DependRun {
    void* const* addresses; // a null address stands for omp_all_memory
    std::uint32_t count;    // may be 0
    ItemKind kind;

    void* const* begin() const { return addresses; }
    void* const* end() const { return addresses + count; }
};

struct DependItems {
    const DependRun* runs = nullptr; // null: the construct has no depend clause
    std::size_t count = 0;           // the number of runs

    bool given() const { return runs != nullptr; }
    const DependRun* begin() const { return runs; }
    const DependRun* end() const { return runs + count; }
};

} // namespace teff::task
