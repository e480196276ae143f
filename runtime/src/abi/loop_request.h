// SPDX-License-Identifier: Apache-2.0
//
// The arguments that the exported functions of the work-sharing loops over `long` and `unsigned
// long long` pass to loop/: the schedule, which is read from GCC's numbers, and the request. The
// template parameter `Number` is one of these two types.
#pragma once

#include <type_traits>

#include "abi/gomp_reduction.h"
#include "loop/loop.h"
#include "loop/schedule_choice.h"

namespace teff::abi {

// Reads the `sched` argument of GOMP_loop_start and similar functions: 0 is schedule(runtime), 1 to
// 3 are static, dynamic and guided, 4 is schedule(nonmonotonic: runtime). Bit 31 means monotonic.
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

template <class Number>
inline loop::LoopRequest plain_loop(loop::Iterations iterations, loop::ScheduleChoice schedule, base::CallSite site) {
    loop::LoopRequest request;
    request.iterations = iterations;
    request.schedule = schedule;
    request.site = site;
    request.is_unsigned = std::is_unsigned_v<Number>;
    return request;
}

template <class Number>
inline loop::LoopRequest ordered_loop(loop::Iterations iterations, loop::ScheduleChoice schedule, base::CallSite site) {
    loop::LoopRequest request = plain_loop<Number>(iterations, schedule, site);
    request.ordered = true;
    return request;
}

inline loop::LoopRequest with_extras(loop::LoopRequest request, std::uintptr_t* reductions, void** memory) {
    request.reductions = worksharing_reductions(reductions);
    request.memory = memory;
    return request;
}

} // namespace teff::abi
