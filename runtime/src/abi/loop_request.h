// SPDX-License-Identifier: Apache-2.0
// What the doors of the work-sharing loops over `long` and over `unsigned long long` hand to loop/.
// Number: which of the two.
#pragma once

#include <type_traits>

#include "abi/gomp_reduction.h"
#include "loop/loop.h"

namespace teff::abi {

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
