// SPDX-License-Identifier: Apache-2.0
//
// The array in which GCC hands over a construct's depend clauses.
//
// Either {n, outs, addresses...}: the first `outs` are out or inout, the others in. Or
// {0, n, outs, mutexinoutsets, ins, addresses..., omp_depend_t*...}. A null address is omp_all_memory, to GCC 13 and later.
#pragma once

#include <cstdint>

#include "base/report.h"

namespace teff::task {

// out and inout stand together in GCC's array; kOut comes from depend objects alone.
enum class ItemKind : std::uint8_t { kIn, kOut, kInout, kMutexinoutset, kInoutset };

namespace detail {

// omp_depend_t as GCC lays it out, and its kinds.
struct DependObject {
    void* address;
    std::uintptr_t kind;
};

inline ItemKind kind_of(const DependObject& object) {
    switch (object.kind) {
    case 1:
        return ItemKind::kIn;
    case 2:
        return ItemKind::kOut;
    case 3:
        return ItemKind::kInout;
    case 4:
        return ItemKind::kMutexinoutset;
    case 5:
        return ItemKind::kInoutset;
    default:
        base::fatal(0, "a depend clause names a depend object that is not initialised (its kind is %zu)", object.kind);
    }
}

} // namespace detail

// Calls `visit(address, kind)` for each list item of GCC's array.
template <class Visit> void for_each_item(void** depend, Visit&& visit) {
    const auto number = [depend](int index) { return reinterpret_cast<std::uintptr_t>(depend[index]); };
    const bool short_form = number(0) != 0;
    const std::uintptr_t items = short_form ? number(0) : number(1);
    const std::uintptr_t inouts = short_form ? number(1) : number(2);
    const std::uintptr_t mutexes_end = short_form ? inouts : inouts + number(3);
    const std::uintptr_t addresses = short_form ? items : mutexes_end + number(4);
    void** item = depend + (short_form ? 2 : 5);
    for (std::uintptr_t i = 0; i < items; ++i) {
        if (i < inouts) {
            visit(item[i], ItemKind::kInout);
        } else if (i < mutexes_end) {
            visit(item[i], ItemKind::kMutexinoutset);
        } else if (i < addresses) {
            visit(item[i], ItemKind::kIn);
        } else {
            const auto& object = *static_cast<detail::DependObject*>(item[i]);
            visit(object.address, detail::kind_of(object));
        }
    }
}

} // namespace teff::task
