// SPDX-License-Identifier: Apache-2.0
//
// The array in which GCC passes a construct's depend clauses, and depend objects.
//
// The array has one of two forms. Short form: {n, outs, addresses...}; the first `outs` of the n
// addresses are out or inout, the others are in. Long form: {0, n, outs, mutexinoutsets, ins,
// addresses..., omp_depend_t*...}; n counts all items. GCC 13 and later writes omp_all_memory as a
// null address.
//
// A DependList holds the items in the form that the core takes: runs of addresses, which are not
// copied. The list is on the stack of the exported function of the construct, so it may be on the
// stack while the body of an undeferred task runs. To keep the list small, the runs are on the heap
// if there are many of them (each depend object is a separate run).
#pragma once

#include <cstdint>
#include <cstdlib>

#include "base/cache_line.h"
#include "task/depend_items.h"

namespace teff::abi {

// omp_depend_t as GCC lays it out.
struct DependObject {
    void* address;
    std::uintptr_t kind; // 1 in, 2 out, 3 inout, 4 mutexinoutset, 5 inoutset; others: not initialised
};

class DependList {
  public:
    // HOT chain. Reads the array of the depend clauses; null means that there is no depend clause.
    explicit DependList(void* const* array) : items_(array == nullptr ? task::DependItems() : read(array, short_)) {}
    // Reads `count` depend objects. A count of 0 or less means that there is no depend clause.
    DependList(int count, const DependObject* objects) : items_(read_objects(count, objects, short_)) {}
    ~DependList() {
        if (TEFF_UNLIKELY(items_.given() && items_.runs != short_))
            std::free(const_cast<task::DependRun*>(items_.runs));
    }
    DependList(const DependList&) = delete;
    DependList& operator=(const DependList&) = delete;

    const task::DependItems& items() const { return items_; }

  private:
    static constexpr std::size_t kShort = 6; // number of runs that the object itself can hold

    // `read`, read_long_form and read_objects store the runs in `room`, which holds kShort runs,
    // or, if there are more runs, in memory from the heap. The functions are static, so that the
    // compiler can keep the rest of the list in registers.
    static task::DependItems read(void* const* array, task::DependRun* room) {
        const auto items = reinterpret_cast<std::uintptr_t>(array[0]);
        if (TEFF_UNLIKELY(items == 0)) return read_long_form(array, room);
        const auto outs = reinterpret_cast<std::uintptr_t>(array[1]);
        std::size_t count = 0;
        if (outs != 0) room[count++] = run(array + 2, outs, task::ItemKind::kInout);
        if (outs != items) room[count++] = run(array + 2 + outs, items - outs, task::ItemKind::kIn);
        return {room, count};
    }
    TEFF_COLD static task::DependItems read_long_form(void* const* array, task::DependRun* room);
    static task::DependItems read_objects(int count, const DependObject* objects, task::DependRun* room);

    static task::DependRun run(void* const* addresses, std::uintptr_t count, task::ItemKind kind) {
        return {addresses, static_cast<std::uint32_t>(count), kind};
    }
    static task::DependRun* make_room(std::size_t runs, task::DependRun* room);

    const task::DependItems items_;
    task::DependRun short_[kShort];
};

} // namespace teff::abi
