// SPDX-License-Identifier: Apache-2.0
// How GCC numbers schedules in the `sched` argument of GOMP_loop_start and its kin.
#pragma once

#include "loop/schedule_choice.h"

namespace teff::abi {

// 0 is schedule(runtime), 1 to 3 are static, dynamic and guided, 4 is schedule(nonmonotonic:
// runtime). Bit 31 says monotonic.
template <class Chunk> loop::ScheduleChoice schedule_from_gomp(const team::Worker& worker, long sched, Chunk chunk) {
    constexpr long kMonotonic = 1l << 31;
    const bool monotonic = (sched & kMonotonic) != 0;
    const long code = sched & ~kMonotonic;
    if (code == 0)
        return loop::ScheduleChoice::runtime(worker, monotonic ? loop::Order::monotonic : loop::Order::as_icv);
    if (code == 4) return loop::ScheduleChoice::runtime(worker, loop::Order::nonmonotonic);
    const auto kind = static_cast<icv::ScheduleKind>(code);
    return loop::ScheduleChoice::fixed(kind, monotonic ? loop::Order::monotonic : loop::Order::nonmonotonic, chunk);
}

} // namespace teff::abi
