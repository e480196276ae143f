// SPDX-License-Identifier: Apache-2.0
//
// The list items of a construct's depend clauses, as the core takes them: runs of addresses that
// stand one behind the other in memory and are depended on in the same way.
//
// A door finds the runs in its compiler's layout (abi/gomp_depend.h) and owns them. They stay until
// the call that they are passed to returns: the core keeps none.
#pragma once

#include <cstddef>
#include <cstdint>

namespace teff::task {

// The first three as DependKind (depend_table.h) has them.
enum class ItemKind : std::uint8_t { kIn, kOut, kInoutset, kInout, kMutexinoutset };

struct DependRun {
    void* const* addresses; // null among them: omp_all_memory
    std::uint32_t count;    // may be 0
    ItemKind kind;

    void* const* begin() const { return addresses; }
    void* const* end() const { return addresses + count; }
};

struct DependItems {
    const DependRun* runs = nullptr; // null: there is no depend clause
    std::size_t count = 0;           // of runs

    bool given() const { return runs != nullptr; }
    const DependRun* begin() const { return runs; }
    const DependRun* end() const { return runs + count; }
};

} // namespace teff::task
