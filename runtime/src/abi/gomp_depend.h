// SPDX-License-Identifier: Apache-2.0
//
// The array in which GCC hands over a construct's depend clauses, and depend objects.
//
// Either {n, outs, addresses...}: the first `outs` are out or inout, the others in. Or {0, n, outs,
// mutexinoutsets, ins, addresses..., omp_depend_t*...}. A null address is omp_all_memory, to GCC 13
// and later.
//
// A DependList holds what the core gets of them: runs of the addresses, which stay where they are.
// It lives on the stack of the construct's door, and so may lie below the body of an undeferred
// task: if there are many depend objects, each a run, the runs go on the heap.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "base/cache_line.h"
#include "task/depend_items.h"

namespace teff::abi {

// omp_depend_t as GCC lays it out.
struct DependObject {
    void* address;
    std::uintptr_t kind; // 1 in, 2 out, 3 inout, 4 mutexinoutset, 5 inoutset; else it is not initialised
};

class DependList {
  public:
    // HOT chain. null: there is no depend clause.
    explicit DependList(void* const* array) : items_(array == nullptr ? task::DependItems() : read(array, short_)) {}
    // Of `count` depend objects; 0 or less: there is no depend clause.
    DependList(int count, const DependObject* objects) : items_(read_objects(count, objects, short_)) {}
    ~DependList() {
        if (TEFF_UNLIKELY(items_.given() && items_.runs != short_))
            std::free(const_cast<task::DependRun*>(items_.runs));
    }
    DependList(const DependList&) = delete;
    DependList& operator=(const DependList&) = delete;

    const task::DependItems& items() const { return items_; }

  private:
    static constexpr std::size_t kShort = 6; // runs

    // These use the array for kShort runs, or else the heap. Static, so that a list may live in
    // registers but for that.
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
