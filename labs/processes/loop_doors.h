// SPDX-License-Identifier: Apache-2.0
// Code that the entry points of the work-sharing loops over `long` and over `unsigned long long`
// share.
#pragma once

#include <cstdint>

#include "processes/loops.h"
#include "processes/missing.h"
#include "processes/reductions.h"
#include "processes/team.h"

namespace teff::processes {

using icv::ScheduleKind;
using loop::Iterations;

// A chunk size below 1 counts as not given.
template <class Number>
loops::Loop fixed_loop(const Iterations& iterations, ScheduleKind kind, Number chunk, bool ordered) {
    return {iterations, kind, chunk > 0 ? static_cast<std::uint64_t>(chunk) : 0, ordered};
}

inline loops::Loop runtime_loop(const Iterations& iterations, bool ordered) {
    return {iterations, loops::runtime_kind(), loops::runtime_chunk(), ordered};
}

// GCC's number: 0 and 4 are schedule(runtime), 1 to 3 static, dynamic, guided; bit 31 says
// monotonic.
template <class Number>
loops::Loop asked_loop(const Iterations& iterations, long schedule, Number chunk, bool ordered) {
    const long code = schedule & ~(1l << 31);
    if (code == 0 || code == 4) return runtime_loop(iterations, ordered);
    return fixed_loop(iterations, static_cast<ScheduleKind>(code), chunk, ordered);
}

template <class Number> bool values(const loop::Span& span, Number* first, Number* bound) {
    const Iterations& all = loops::iterations();
    *first = static_cast<Number>(all.value(span.first));
    *bound = static_cast<Number>(all.bound(span.last));
    return true;
}

template <class Number> bool start_values(const loops::Loop& loop, Number* first, Number* bound) {
    loop::Span span;
    return loops::start(loop, span) && values(span, first, bound);
}

template <class Number> bool next_values(Number* first, Number* bound) {
    loop::Span span;
    return loops::next(span) && values(span, first, bound);
}

// If `first` is null, the program divides the iterations itself. `memory` is the size on entry, and
// the address on return.
template <class Number>
bool start_with_extras(const loops::Loop& loop, Number* first, Number* bound, std::uintptr_t* reductions,
                       void** memory) {
    loops::meet(loop);
    reductions::begin_worksharing(reductions, memory);
    if (first == nullptr) return true;
    return next_values(first, bound);
}

} // namespace teff::processes
