// SPDX-License-Identifier: Apache-2.0
//
// GOMP_loop_ull_*: the work-sharing loop over `unsigned long long`.
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

constexpr auto plain = abi::plain_loop<unsigned long long>;
constexpr auto ordered = abi::ordered_loop<unsigned long long>;

TEFF_EXPORT bool GOMP_loop_ull_static_start(bool up, unsigned long long start, unsigned long long end,
                                            unsigned long long step, unsigned long long chunk,
                                            unsigned long long* first, unsigned long long* bound) {
    const LoopRequest request = plain(Iterations::of(up, start, end, step),
                                      ScheduleChoice::fixed(ScheduleKind::static_, Order::monotonic, chunk), TEFF_SITE);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_ull_dynamic_start(bool up, unsigned long long start, unsigned long long end,
                                             unsigned long long step, unsigned long long chunk,
                                             unsigned long long* first, unsigned long long* bound) {
    const LoopRequest request = plain(Iterations::of(up, start, end, step),
                                      ScheduleChoice::fixed(ScheduleKind::dynamic, Order::monotonic, chunk), TEFF_SITE);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_ull_guided_start(bool up, unsigned long long start, unsigned long long end,
                                            unsigned long long step, unsigned long long chunk,
                                            unsigned long long* first, unsigned long long* bound) {
    const LoopRequest request = plain(Iterations::of(up, start, end, step),
                                      ScheduleChoice::fixed(ScheduleKind::guided, Order::monotonic, chunk), TEFF_SITE);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_ull_runtime_start(bool up, unsigned long long start, unsigned long long end,
                                             unsigned long long step, unsigned long long* first,
                                             unsigned long long* bound) {
    const LoopRequest request = plain(Iterations::of(up, start, end, step),
                                      ScheduleChoice::runtime(current_worker(), Order::monotonic), TEFF_SITE);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_ull_nonmonotonic_dynamic_start(bool up, unsigned long long start, unsigned long long end,
                                                          unsigned long long step, unsigned long long chunk,
                                                          unsigned long long* first, unsigned long long* bound) {
    const LoopRequest request =
        plain(Iterations::of(up, start, end, step),
              ScheduleChoice::fixed(ScheduleKind::dynamic, Order::nonmonotonic, chunk), TEFF_SITE);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_ull_nonmonotonic_guided_start(bool up, unsigned long long start, unsigned long long end,
                                                         unsigned long long step, unsigned long long chunk,
                                                         unsigned long long* first, unsigned long long* bound) {
    const LoopRequest request =
        plain(Iterations::of(up, start, end, step),
              ScheduleChoice::fixed(ScheduleKind::guided, Order::nonmonotonic, chunk), TEFF_SITE);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_ull_nonmonotonic_runtime_start(bool up, unsigned long long start, unsigned long long end,
                                                          unsigned long long step, unsigned long long* first,
                                                          unsigned long long* bound) {
    const LoopRequest request = plain(Iterations::of(up, start, end, step),
                                      ScheduleChoice::runtime(current_worker(), Order::nonmonotonic), TEFF_SITE);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_ull_maybe_nonmonotonic_runtime_start(bool up, unsigned long long start,
                                                                unsigned long long end, unsigned long long step,
                                                                unsigned long long* first, unsigned long long* bound) {
    const LoopRequest request = plain(Iterations::of(up, start, end, step),
                                      ScheduleChoice::runtime(current_worker(), Order::as_icv), TEFF_SITE);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_ull_start(bool up, unsigned long long start, unsigned long long end, unsigned long long step,
                                     long sched, unsigned long long chunk, unsigned long long* first,
                                     unsigned long long* bound, std::uintptr_t* reductions, void** memory) {
    team::Worker& worker = current_worker();
    const ScheduleChoice schedule = abi::schedule_from_gomp(worker, sched, chunk);
    LoopRequest request =
        with_extras(plain(Iterations::of(up, start, end, step), schedule, TEFF_SITE), reductions, memory);
    request.divided_by_program = first == nullptr;
    if (request.divided_by_program) return loop::start(worker, request), true; // a static loop
    return loop::start_values(worker, request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_ull_ordered_static_start(bool up, unsigned long long start, unsigned long long end,
                                                    unsigned long long step, unsigned long long chunk,
                                                    unsigned long long* first, unsigned long long* bound) {
    const LoopRequest request =
        ordered(Iterations::of(up, start, end, step),
                ScheduleChoice::fixed(ScheduleKind::static_, Order::monotonic, chunk), TEFF_SITE);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_ull_ordered_dynamic_start(bool up, unsigned long long start, unsigned long long end,
                                                     unsigned long long step, unsigned long long chunk,
                                                     unsigned long long* first, unsigned long long* bound) {
    const LoopRequest request =
        ordered(Iterations::of(up, start, end, step),
                ScheduleChoice::fixed(ScheduleKind::dynamic, Order::monotonic, chunk), TEFF_SITE);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_ull_ordered_guided_start(bool up, unsigned long long start, unsigned long long end,
                                                    unsigned long long step, unsigned long long chunk,
                                                    unsigned long long* first, unsigned long long* bound) {
    const LoopRequest request =
        ordered(Iterations::of(up, start, end, step),
                ScheduleChoice::fixed(ScheduleKind::guided, Order::monotonic, chunk), TEFF_SITE);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_ull_ordered_runtime_start(bool up, unsigned long long start, unsigned long long end,
                                                     unsigned long long step, unsigned long long* first,
                                                     unsigned long long* bound) {
    const LoopRequest request = ordered(Iterations::of(up, start, end, step),
                                        ScheduleChoice::runtime(current_worker(), Order::monotonic), TEFF_SITE);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_ull_ordered_start(bool up, unsigned long long start, unsigned long long end,
                                             unsigned long long step, long sched, unsigned long long chunk,
                                             unsigned long long* first, unsigned long long* bound,
                                             std::uintptr_t* reductions, void** memory) {
    team::Worker& worker = current_worker();
    const ScheduleChoice schedule = abi::schedule_from_gomp(worker, sched, chunk);
    const LoopRequest request =
        with_extras(ordered(Iterations::of(up, start, end, step), schedule, TEFF_SITE), reductions, memory);
    return loop::start_values(worker, request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_ull_static_next(unsigned long long* first, unsigned long long* bound) {
    return loop::next_values(current_worker(), first, bound, TEFF_SITE);
}

TEFF_EXPORT bool GOMP_loop_ull_dynamic_next(unsigned long long* first, unsigned long long* bound) {
    return loop::next_values(current_worker(), first, bound, TEFF_SITE);
}

TEFF_EXPORT bool GOMP_loop_ull_guided_next(unsigned long long* first, unsigned long long* bound) {
    return loop::next_values(current_worker(), first, bound, TEFF_SITE);
}

TEFF_EXPORT bool GOMP_loop_ull_runtime_next(unsigned long long* first, unsigned long long* bound) {
    return loop::next_values(current_worker(), first, bound, TEFF_SITE);
}

TEFF_EXPORT bool GOMP_loop_ull_nonmonotonic_dynamic_next(unsigned long long* first, unsigned long long* bound) {
    return loop::next_values(current_worker(), first, bound, TEFF_SITE);
}

TEFF_EXPORT bool GOMP_loop_ull_nonmonotonic_guided_next(unsigned long long* first, unsigned long long* bound) {
    return loop::next_values(current_worker(), first, bound, TEFF_SITE);
}

TEFF_EXPORT bool GOMP_loop_ull_nonmonotonic_runtime_next(unsigned long long* first, unsigned long long* bound) {
    return loop::next_values(current_worker(), first, bound, TEFF_SITE);
}

TEFF_EXPORT bool GOMP_loop_ull_maybe_nonmonotonic_runtime_next(unsigned long long* first, unsigned long long* bound) {
    return loop::next_values(current_worker(), first, bound, TEFF_SITE);
}

TEFF_EXPORT bool GOMP_loop_ull_ordered_static_next(unsigned long long* first, unsigned long long* bound) {
    return loop::next_values(current_worker(), first, bound, TEFF_SITE);
}

TEFF_EXPORT bool GOMP_loop_ull_ordered_dynamic_next(unsigned long long* first, unsigned long long* bound) {
    return loop::next_values(current_worker(), first, bound, TEFF_SITE);
}

TEFF_EXPORT bool GOMP_loop_ull_ordered_guided_next(unsigned long long* first, unsigned long long* bound) {
    return loop::next_values(current_worker(), first, bound, TEFF_SITE);
}

TEFF_EXPORT bool GOMP_loop_ull_ordered_runtime_next(unsigned long long* first, unsigned long long* bound) {
    return loop::next_values(current_worker(), first, bound, TEFF_SITE);
}
