// SPDX-License-Identifier: Apache-2.0
//
// What GCC's code expects of the runtime at the head of an argument block, before its own
// variables.
//
//     detachable task                   the event's handle, which is also stored where the call says
//     taskloop                          first and end value of the loop variable, then, with task reductions, their blocks' address
//     parallel with task reductions     their blocks' address
#pragma once

#include <cstdint>
#include <cstring>

#include "task/create.h"
#include "task/detach.h"

namespace teff::abi {

// Before the task's arguments are copied. `data` may be null: no variables.
inline void store_event(task::EventHandle handle, void* event, void* data) {
    std::memcpy(event, &handle, sizeof handle);
    if (data != nullptr) std::memcpy(data, &handle, sizeof handle);
}

// A task::TaskloopPart's `place`. Both are 8 bytes wide, also where the loop variable is narrower.
inline void place_bounds(void* args, const task::TaskloopPart& part) {
    // One by one: a load of both at once would wait for the stores of each.
    auto* const bounds = static_cast<std::uint64_t*>(args);
    bounds[0] = part.first;
    bounds[1] = part.end;
}

inline std::uintptr_t* taskloop_reductions(void* data) { return static_cast<std::uintptr_t**>(data)[2]; }
inline std::uintptr_t* parallel_reductions(void* data) { return static_cast<std::uintptr_t**>(data)[0]; }

} // namespace teff::abi
