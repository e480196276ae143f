// SPDX-License-Identifier: Apache-2.0
//
// GOMP_loop_doacross_*, GOMP_loop_ull_doacross_*, GOMP_doacross_*: loops with cross-iteration
// dependences, ordered(n).
//
// GCC counts the iterations of each loop of the nest from 0. The functions return iteration numbers
// of the outermost loop.
#include <cstdarg>
#include <type_traits>

#include "abi/export.h"
#include "abi/loop_request.h"
#include "loop/doacross.h"
#include "loop/loop.h"

using namespace teff;
using icv::ScheduleKind;
using loop::LoopRequest;
using loop::Order;
using loop::ScheduleChoice;
using team::current_worker;

using Ull = unsigned long long;

namespace {

template <class Integer>
LoopRequest nest(unsigned loops, const Integer* counts, ScheduleChoice schedule, base::CallSite site) {
    LoopRequest request;
    request.iterations = loop::Iterations::of(true, 0, static_cast<Ull>(counts[0]), 1);
    request.schedule = schedule;
    request.schedule.monotonic = true; // a chunk waits for earlier ones
    request.site = site;
    request.is_unsigned = std::is_unsigned_v<Integer>;
    request.doacross = {loops, counts};
    return request;
}

} // namespace

TEFF_EXPORT bool GOMP_loop_doacross_static_start(unsigned loops, long* counts, long chunk, long* first, long* bound) {
    const LoopRequest request =
        nest(loops, counts, ScheduleChoice::fixed(ScheduleKind::static_, Order::monotonic, chunk), TEFF_SITE);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_doacross_dynamic_start(unsigned loops, long* counts, long chunk, long* first, long* bound) {
    const LoopRequest request =
        nest(loops, counts, ScheduleChoice::fixed(ScheduleKind::dynamic, Order::monotonic, chunk), TEFF_SITE);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_doacross_guided_start(unsigned loops, long* counts, long chunk, long* first, long* bound) {
    const LoopRequest request =
        nest(loops, counts, ScheduleChoice::fixed(ScheduleKind::guided, Order::monotonic, chunk), TEFF_SITE);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_doacross_runtime_start(unsigned loops, long* counts, long* first, long* bound) {
    const ScheduleChoice schedule = ScheduleChoice::runtime(current_worker(), Order::monotonic);
    return loop::start_values(current_worker(), nest(loops, counts, schedule, TEFF_SITE), first, bound);
}

TEFF_EXPORT bool GOMP_loop_doacross_start(unsigned loops, long* counts, long sched, long chunk, long* first,
                                          long* bound, std::uintptr_t* reductions, void** memory) {
    const ScheduleChoice schedule = abi::schedule_from_gomp(current_worker(), sched, chunk);
    const LoopRequest request = abi::with_extras(nest(loops, counts, schedule, TEFF_SITE), reductions, memory);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_ull_doacross_static_start(unsigned loops, Ull* counts, Ull chunk, Ull* first, Ull* bound) {
    const LoopRequest request =
        nest(loops, counts, ScheduleChoice::fixed(ScheduleKind::static_, Order::monotonic, chunk), TEFF_SITE);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_ull_doacross_dynamic_start(unsigned loops, Ull* counts, Ull chunk, Ull* first, Ull* bound) {
    const LoopRequest request =
        nest(loops, counts, ScheduleChoice::fixed(ScheduleKind::dynamic, Order::monotonic, chunk), TEFF_SITE);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_ull_doacross_guided_start(unsigned loops, Ull* counts, Ull chunk, Ull* first, Ull* bound) {
    const LoopRequest request =
        nest(loops, counts, ScheduleChoice::fixed(ScheduleKind::guided, Order::monotonic, chunk), TEFF_SITE);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT bool GOMP_loop_ull_doacross_runtime_start(unsigned loops, Ull* counts, Ull* first, Ull* bound) {
    const ScheduleChoice schedule = ScheduleChoice::runtime(current_worker(), Order::monotonic);
    return loop::start_values(current_worker(), nest(loops, counts, schedule, TEFF_SITE), first, bound);
}

TEFF_EXPORT bool GOMP_loop_ull_doacross_start(unsigned loops, Ull* counts, long sched, Ull chunk, Ull* first,
                                              Ull* bound, std::uintptr_t* reductions, void** memory) {
    const ScheduleChoice schedule = abi::schedule_from_gomp(current_worker(), sched, chunk);
    const LoopRequest request = abi::with_extras(nest(loops, counts, schedule, TEFF_SITE), reductions, memory);
    return loop::start_values(current_worker(), request, first, bound);
}

TEFF_EXPORT void GOMP_doacross_post(long* position) { loop::doacross_post(current_worker(), position); }

TEFF_EXPORT void GOMP_doacross_wait(long outermost, ...) {
    std::va_list inner;
    va_start(inner, outermost);
    const auto next_inner = [&] { return static_cast<std::uint64_t>(va_arg(inner, long)); };
    loop::doacross_wait(current_worker(), static_cast<std::uint64_t>(outermost), next_inner, TEFF_SITE);
    va_end(inner);
}

TEFF_EXPORT void GOMP_doacross_ull_post(Ull* position) { loop::doacross_post(current_worker(), position); }

TEFF_EXPORT void GOMP_doacross_ull_wait(Ull outermost, ...) {
    std::va_list inner;
    va_start(inner, outermost);
    const auto next_inner = [&] { return static_cast<std::uint64_t>(va_arg(inner, Ull)); };
    loop::doacross_wait(current_worker(), static_cast<std::uint64_t>(outermost), next_inner, TEFF_SITE);
    va_end(inner);
}
