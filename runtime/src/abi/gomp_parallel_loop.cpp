// SPDX-License-Identifier: Apache-2.0
//
// GOMP_parallel_loop_*: starts a parallel region and its loop in one call. The *_start functions
// are for programs compiled by GCC 4.8 and older: such a program itself calls the body, and then
// GOMP_parallel_end.
#include "abi/export.h"
#include "loop/loop.h"

using namespace teff;
using icv::ScheduleKind;
using loop::Iterations;
using loop::LoopRequest;
using loop::Order;
using loop::ScheduleChoice;
using team::current_worker;

namespace {

using Body = void (*)(void*);

region::Construct region_of(Body body, void* data, unsigned threads, unsigned flags, base::CallSite site) {
    region::Construct construct;
    construct.body = {body, data};
    construct.num_threads = threads;
    construct.proc_bind = flags & 7; // an omp_proc_bind_t
    construct.site = site;
    return construct;
}

LoopRequest loop_of(Iterations iterations, ScheduleChoice schedule, base::CallSite site) {
    LoopRequest request;
    request.iterations = iterations;
    request.schedule = schedule;
    request.site = site;
    return request;
}

} // namespace

TEFF_EXPORT void GOMP_parallel_loop_static_start(Body body, void* data, unsigned threads, long start, long end,
                                                 long step, long chunk) {
    team::Worker& worker = current_worker();
    const LoopRequest request =
        loop_of(Iterations::of(start, end, step), ScheduleChoice::fixed(ScheduleKind::static_, Order::monotonic, chunk),
                TEFF_SITE);
    loop::begin_parallel_loop(worker, region_of(body, data, threads, 0, TEFF_SITE), request);
}

TEFF_EXPORT void GOMP_parallel_loop_dynamic_start(Body body, void* data, unsigned threads, long start, long end,
                                                  long step, long chunk) {
    team::Worker& worker = current_worker();
    const LoopRequest request =
        loop_of(Iterations::of(start, end, step), ScheduleChoice::fixed(ScheduleKind::dynamic, Order::monotonic, chunk),
                TEFF_SITE);
    loop::begin_parallel_loop(worker, region_of(body, data, threads, 0, TEFF_SITE), request);
}

TEFF_EXPORT void GOMP_parallel_loop_guided_start(Body body, void* data, unsigned threads, long start, long end,
                                                 long step, long chunk) {
    team::Worker& worker = current_worker();
    const LoopRequest request =
        loop_of(Iterations::of(start, end, step), ScheduleChoice::fixed(ScheduleKind::guided, Order::monotonic, chunk),
                TEFF_SITE);
    loop::begin_parallel_loop(worker, region_of(body, data, threads, 0, TEFF_SITE), request);
}

TEFF_EXPORT void GOMP_parallel_loop_runtime_start(Body body, void* data, unsigned threads, long start, long end,
                                                  long step) {
    team::Worker& worker = current_worker();
    const LoopRequest request =
        loop_of(Iterations::of(start, end, step), ScheduleChoice::runtime(worker, Order::monotonic), TEFF_SITE);
    loop::begin_parallel_loop(worker, region_of(body, data, threads, 0, TEFF_SITE), request);
}

TEFF_EXPORT void GOMP_parallel_loop_static(Body body, void* data, unsigned threads, long start, long end, long step,
                                           long chunk, unsigned flags) {
    team::Worker& worker = current_worker();
    const LoopRequest request =
        loop_of(Iterations::of(start, end, step), ScheduleChoice::fixed(ScheduleKind::static_, Order::monotonic, chunk),
                TEFF_SITE);
    loop::run_parallel_loop(worker, region_of(body, data, threads, flags, TEFF_SITE), request);
}

TEFF_EXPORT void GOMP_parallel_loop_dynamic(Body body, void* data, unsigned threads, long start, long end, long step,
                                            long chunk, unsigned flags) {
    team::Worker& worker = current_worker();
    const LoopRequest request =
        loop_of(Iterations::of(start, end, step), ScheduleChoice::fixed(ScheduleKind::dynamic, Order::monotonic, chunk),
                TEFF_SITE);
    loop::run_parallel_loop(worker, region_of(body, data, threads, flags, TEFF_SITE), request);
}

TEFF_EXPORT void GOMP_parallel_loop_guided(Body body, void* data, unsigned threads, long start, long end, long step,
                                           long chunk, unsigned flags) {
    team::Worker& worker = current_worker();
    const LoopRequest request =
        loop_of(Iterations::of(start, end, step), ScheduleChoice::fixed(ScheduleKind::guided, Order::monotonic, chunk),
                TEFF_SITE);
    loop::run_parallel_loop(worker, region_of(body, data, threads, flags, TEFF_SITE), request);
}

TEFF_EXPORT void GOMP_parallel_loop_runtime(Body body, void* data, unsigned threads, long start, long end, long step,
                                            unsigned flags) {
    team::Worker& worker = current_worker();
    const LoopRequest request =
        loop_of(Iterations::of(start, end, step), ScheduleChoice::runtime(worker, Order::monotonic), TEFF_SITE);
    loop::run_parallel_loop(worker, region_of(body, data, threads, flags, TEFF_SITE), request);
}

TEFF_EXPORT void GOMP_parallel_loop_nonmonotonic_dynamic(Body body, void* data, unsigned threads, long start, long end,
                                                         long step, long chunk, unsigned flags) {
    team::Worker& worker = current_worker();
    const LoopRequest request =
        loop_of(Iterations::of(start, end, step),
                ScheduleChoice::fixed(ScheduleKind::dynamic, Order::nonmonotonic, chunk), TEFF_SITE);
    loop::run_parallel_loop(worker, region_of(body, data, threads, flags, TEFF_SITE), request);
}

TEFF_EXPORT void GOMP_parallel_loop_nonmonotonic_guided(Body body, void* data, unsigned threads, long start, long end,
                                                        long step, long chunk, unsigned flags) {
    team::Worker& worker = current_worker();
    const LoopRequest request =
        loop_of(Iterations::of(start, end, step),
                ScheduleChoice::fixed(ScheduleKind::guided, Order::nonmonotonic, chunk), TEFF_SITE);
    loop::run_parallel_loop(worker, region_of(body, data, threads, flags, TEFF_SITE), request);
}

TEFF_EXPORT void GOMP_parallel_loop_nonmonotonic_runtime(Body body, void* data, unsigned threads, long start, long end,
                                                         long step, unsigned flags) {
    team::Worker& worker = current_worker();
    const LoopRequest request =
        loop_of(Iterations::of(start, end, step), ScheduleChoice::runtime(worker, Order::nonmonotonic), TEFF_SITE);
    loop::run_parallel_loop(worker, region_of(body, data, threads, flags, TEFF_SITE), request);
}

TEFF_EXPORT void GOMP_parallel_loop_maybe_nonmonotonic_runtime(Body body, void* data, unsigned threads, long start,
                                                               long end, long step, unsigned flags) {
    team::Worker& worker = current_worker();
    const LoopRequest request =
        loop_of(Iterations::of(start, end, step), ScheduleChoice::runtime(worker, Order::as_icv), TEFF_SITE);
    loop::run_parallel_loop(worker, region_of(body, data, threads, flags, TEFF_SITE), request);
}
