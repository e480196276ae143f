// SPDX-License-Identifier: Apache-2.0
//
// Where: a construct on a device, for messages to the user and for the recording.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "teff_trace.h"

namespace teff::device {

enum class ConstructKind : std::uint8_t {
    region = TEFF_DEVICE_TARGET,
    data = TEFF_DEVICE_DATA,
    end_data = TEFF_DEVICE_END_DATA,
    enter_data = TEFF_DEVICE_ENTER_DATA,
    exit_data = TEFF_DEVICE_EXIT_DATA,
    update = TEFF_DEVICE_UPDATE,
    routine = TEFF_DEVICE_ROUTINE, // omp_target_memcpy, and the like
};

// Of a construct with nowait, which a thread of the runtime carries out. `ready` and `task` are 0
// if the construct is not recorded.
struct Deferral {
    bool is_deferred = false;
    std::uint64_t task = 0; // its id
    base::Ticks ready = 0;  // when its predecessors had finished
};

// What a device says of a recorded construct, by its own clocks, which need not agree with the
// host's. All are 0 if the construct is not recorded.
struct DeviceTimes {
    base::Ticks began;    // the data were there, and the function was about to run
    base::Ticks ended;    // it had run, and the answer was about to be sent
    std::uint64_t ran_ns; // 0: there is no function
};

struct Where {
    ConstructKind kind;
    const void* code; // the address behind the construct's call; null: not known
    Deferral deferral = {};
};

// A device memory routine whose call returns to this address.
constexpr Where routine_at(const void* code) { return {ConstructKind::routine, code}; }

} // namespace teff::device
