// SPDX-License-Identifier: Apache-2.0
//
// GOMP_loop_*: the work-sharing loop over `long`.
#include "abi/export.h"
#include "abi/loop_request.h"

using namespace teff;
using abi::with_extras;
using icv::ScheduleKind;
using loop::Iterations;
using loop::LoopRequest;
using loop::Order;
using loop::ScheduleChoice;
using team::current_worker;

constexpr auto plain = abi::plain_loop<long>;
constexpr auto ordered = abi::ordered_loop<long>;

TEFF_EXPORT bool GOMP_loop_static_start(long start, long end, long step, long chunk, long* first, long* bound) {
    const LoopRequest request = plain(Iterations::of(start, end, step),
                                      ScheduleChoice::fixed(ScheduleKind::static_, Order::monotonic, chunk), TEFF_SITE);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_dynamic_start(long start, long end, long step, long chunk, long* first, long* bound) {
    const LoopRequest request = plain(Iterations::of(start, end, step),
                                      ScheduleChoice::fixed(ScheduleKind::dynamic, Order::monotonic, chunk), TEFF_SITE);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_guided_start(long start, long end, long step, long chunk, long* first, long* bound) {
    const LoopRequest request = plain(Iterations::of(start, end, step),
                                      ScheduleChoice::fixed(ScheduleKind::guided, Order::monotonic, chunk), TEFF_SITE);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_runtime_start(long start, long end, long step, long* first, long* bound) {
    const LoopRequest request =
        plain(Iterations::of(start, end, step), ScheduleChoice::runtime(current_worker(), Order::monotonic), TEFF_SITE);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_nonmonotonic_dynamic_start(long start, long end, long step, long chunk, long* first,
                                                      long* bound) {
    const LoopRequest request =
        plain(Iterations::of(start, end, step),
              ScheduleChoice::fixed(ScheduleKind::dynamic, Order::nonmonotonic, chunk), TEFF_SITE);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_nonmonotonic_guided_start(long start, long end, long step, long chunk, long* first,
                                                     long* bound) {
    const LoopRequest request =
        plain(Iterations::of(start, end, step), ScheduleChoice::fixed(ScheduleKind::guided, Order::nonmonotonic, chunk),
              TEFF_SITE);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_nonmonotonic_runtime_start(long start, long end, long step, long* first, long* bound) {
    const LoopRequest request = plain(Iterations::of(start, end, step),
                                      ScheduleChoice::runtime(current_worker(), Order::nonmonotonic), TEFF_SITE);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_maybe_nonmonotonic_runtime_start(long start, long end, long step, long* first, long* bound) {
    const LoopRequest request =
        plain(Iterations::of(start, end, step), ScheduleChoice::runtime(current_worker(), Order::as_icv), TEFF_SITE);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_start(long start, long end, long step, long sched, long chunk, long* first, long* bound,
                                 std::uintptr_t* reductions, void** memory) {
    team::Worker& worker = current_worker();
    const ScheduleChoice schedule = abi::schedule_from_gomp(worker, sched, chunk);
    LoopRequest request = with_extras(plain(Iterations::of(start, end, step), schedule, TEFF_SITE), reductions, memory);
    request.divided_by_program = first == nullptr;
    if (request.divided_by_program) return loop::start(worker, request), true; // a static loop
    return loop::start_values(worker, request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_ordered_static_start(long start, long end, long step, long chunk, long* first, long* bound) {
    const LoopRequest request =
        ordered(Iterations::of(start, end, step), ScheduleChoice::fixed(ScheduleKind::static_, Order::monotonic, chunk),
                TEFF_SITE);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_ordered_dynamic_start(long start, long end, long step, long chunk, long* first,
                                                 long* bound) {
    const LoopRequest request =
        ordered(Iterations::of(start, end, step), ScheduleChoice::fixed(ScheduleKind::dynamic, Order::monotonic, chunk),
                TEFF_SITE);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_ordered_guided_start(long start, long end, long step, long chunk, long* first, long* bound) {
    const LoopRequest request =
        ordered(Iterations::of(start, end, step), ScheduleChoice::fixed(ScheduleKind::guided, Order::monotonic, chunk),
                TEFF_SITE);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_ordered_runtime_start(long start, long end, long step, long* first, long* bound) {
    const LoopRequest request = ordered(Iterations::of(start, end, step),
                                        ScheduleChoice::runtime(current_worker(), Order::monotonic), TEFF_SITE);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_ordered_start(long start, long end, long step, long sched, long chunk, long* first,
                                         long* bound, std::uintptr_t* reductions, void** memory) {
    team::Worker& worker = current_worker();
    const ScheduleChoice schedule = abi::schedule_from_gomp(worker, sched, chunk);
    const LoopRequest request =
        with_extras(ordered(Iterations::of(start, end, step), schedule, TEFF_SITE), reductions, memory);
    return loop::start_values(worker, request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_static_next(long* first, long* bound) {
    return loop::next_values(current_worker(), first, bound, TEFF_SITE);
}

TEFF_EXPORT bool GOMP_loop_dynamic_next(long* first, long* bound) {
    return loop::next_values(current_worker(), first, bound, TEFF_SITE);
}

TEFF_EXPORT bool GOMP_loop_guided_next(long* first, long* bound) {
    return loop::next_values(current_worker(), first, bound, TEFF_SITE);
}

TEFF_EXPORT bool GOMP_loop_runtime_next(long* first, long* bound) {
    return loop::next_values(current_worker(), first, bound, TEFF_SITE);
}

TEFF_EXPORT bool GOMP_loop_nonmonotonic_dynamic_next(long* first, long* bound) {
    return loop::next_values(current_worker(), first, bound, TEFF_SITE);
}

TEFF_EXPORT bool GOMP_loop_nonmonotonic_guided_next(long* first, long* bound) {
    return loop::next_values(current_worker(), first, bound, TEFF_SITE);
}

TEFF_EXPORT bool GOMP_loop_nonmonotonic_runtime_next(long* first, long* bound) {
    return loop::next_values(current_worker(), first, bound, TEFF_SITE);
}

TEFF_EXPORT bool GOMP_loop_maybe_nonmonotonic_runtime_next(long* first, long* bound) {
    return loop::next_values(current_worker(), first, bound, TEFF_SITE);
}

TEFF_EXPORT bool GOMP_loop_ordered_static_next(long* first, long* bound) {
    return loop::next_values(current_worker(), first, bound, TEFF_SITE);
}

TEFF_EXPORT bool GOMP_loop_ordered_dynamic_next(long* first, long* bound) {
    return loop::next_values(current_worker(), first, bound, TEFF_SITE);
}

TEFF_EXPORT bool GOMP_loop_ordered_guided_next(long* first, long* bound) {
    return loop::next_values(current_worker(), first, bound, TEFF_SITE);
}

TEFF_EXPORT bool GOMP_loop_ordered_runtime_next(long* first, long* bound) {
    return loop::next_values(current_worker(), first, bound, TEFF_SITE);
}

TEFF_EXPORT void GOMP_loop_end() { loop::end(current_worker(), TEFF_SITE); }

TEFF_EXPORT void GOMP_loop_end_nowait() { loop::end_nowait(current_worker()); }

TEFF_EXPORT bool GOMP_loop_end_cancel() { return loop::end_cancel(current_worker(), TEFF_SITE); }
