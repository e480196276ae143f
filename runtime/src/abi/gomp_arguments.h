// SPDX-License-Identifier: Apache-2.0
//
// The data that GCC's code expects at the beginning of an argument block, before the program's own
// variables.
//
//     detachable task                   the event's handle; the runtime also stores it where the call says
//     taskloop                          first and end value of the loop variable
//     taskloop with task reductions     the same, then the address of the reductions' blocks
//     parallel with task reductions     the address of the reductions' blocks
#pragma once

#include <cstdint>
#include <cstring>

#include "task/create.h"
#include "task/detach.h"

namespace teff::abi {

// Stores the event's handle at `event` and at the beginning of `data`. Called before the task's
// arguments are copied. `data` may be null: the task has no variables.
inline void store_event(task::EventHandle handle, void* event, void* data) {
    std::memcpy(event, &handle, sizeof handle);
    if (data != nullptr) std::memcpy(data, &handle, sizeof handle);
}

// Stores the bounds of a part of a taskloop in its arguments; used as TaskloopPart::place. Each
// bound has 8 bytes, even if the loop variable is narrower.
inline void place_bounds(void* args, const task::TaskloopPart& part) {
    // The bounds are copied separately: a load of both at once would have to wait until both stores
    // that wrote `part` are done.
    auto* const bounds = static_cast<std::uint64_t*>(args);
    bounds[0] = part.first;
    bounds[1] = part.end;
}

inline std::uintptr_t* taskloop_reductions(void* data) { return static_cast<std::uintptr_t**>(data)[2]; }
inline std::uintptr_t* parallel_reductions(void* data) { return static_cast<std::uintptr_t**>(data)[0]; }

} // namespace teff::abi
