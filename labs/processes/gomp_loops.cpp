// SPDX-License-Identifier: Apache-2.0
// The entry points GOMP_loop_*: work-sharing loops over long and over unsigned long long.
#include "abi/export.h"
#include "processes/loop_doors.h"

using namespace teff::processes;

TEFF_EXPORT bool GOMP_loop_static_start(long start, long end, long step, long chunk, long* first, long* bound) {
    return start_values(fixed_loop(Iterations::of(start, end, step), ScheduleKind::static_, chunk, false), first,
                        bound);
}
TEFF_EXPORT bool GOMP_loop_dynamic_start(long start, long end, long step, long chunk, long* first, long* bound) {
    return start_values(fixed_loop(Iterations::of(start, end, step), ScheduleKind::dynamic, chunk, false), first,
                        bound);
}
TEFF_EXPORT bool GOMP_loop_guided_start(long start, long end, long step, long chunk, long* first, long* bound) {
    return start_values(fixed_loop(Iterations::of(start, end, step), ScheduleKind::guided, chunk, false), first, bound);
}
TEFF_EXPORT bool GOMP_loop_nonmonotonic_dynamic_start(long start, long end, long step, long chunk, long* first,
                                                      long* bound) {
    return start_values(fixed_loop(Iterations::of(start, end, step), ScheduleKind::dynamic, chunk, false), first,
                        bound);
}
TEFF_EXPORT bool GOMP_loop_nonmonotonic_guided_start(long start, long end, long step, long chunk, long* first,
                                                     long* bound) {
    return start_values(fixed_loop(Iterations::of(start, end, step), ScheduleKind::guided, chunk, false), first, bound);
}
TEFF_EXPORT bool GOMP_loop_ordered_static_start(long start, long end, long step, long chunk, long* first, long* bound) {
    return start_values(fixed_loop(Iterations::of(start, end, step), ScheduleKind::static_, chunk, true), first, bound);
}
TEFF_EXPORT bool GOMP_loop_ordered_dynamic_start(long start, long end, long step, long chunk, long* first,
                                                 long* bound) {
    return start_values(fixed_loop(Iterations::of(start, end, step), ScheduleKind::dynamic, chunk, true), first, bound);
}
TEFF_EXPORT bool GOMP_loop_ordered_guided_start(long start, long end, long step, long chunk, long* first, long* bound) {
    return start_values(fixed_loop(Iterations::of(start, end, step), ScheduleKind::guided, chunk, true), first, bound);
}
TEFF_EXPORT bool GOMP_loop_runtime_start(long start, long end, long step, long* first, long* bound) {
    return start_values(runtime_loop(Iterations::of(start, end, step), false), first, bound);
}
TEFF_EXPORT bool GOMP_loop_nonmonotonic_runtime_start(long start, long end, long step, long* first, long* bound) {
    return start_values(runtime_loop(Iterations::of(start, end, step), false), first, bound);
}
TEFF_EXPORT bool GOMP_loop_maybe_nonmonotonic_runtime_start(long start, long end, long step, long* first, long* bound) {
    return start_values(runtime_loop(Iterations::of(start, end, step), false), first, bound);
}
TEFF_EXPORT bool GOMP_loop_ordered_runtime_start(long start, long end, long step, long* first, long* bound) {
    return start_values(runtime_loop(Iterations::of(start, end, step), true), first, bound);
}
TEFF_EXPORT bool GOMP_loop_start(long start, long end, long step, long schedule, long chunk, long* first, long* bound,
                                 std::uintptr_t* reductions, void** memory) {
    return start_with_extras(asked_loop(Iterations::of(start, end, step), schedule, chunk, false), first, bound,
                             reductions, memory);
}
TEFF_EXPORT bool GOMP_loop_ordered_start(long start, long end, long step, long schedule, long chunk, long* first,
                                         long* bound, std::uintptr_t* reductions, void** memory) {
    return start_with_extras(asked_loop(Iterations::of(start, end, step), schedule, chunk, true), first, bound,
                             reductions, memory);
}
TEFF_EXPORT bool GOMP_loop_static_next(long* first, long* bound) { return next_values(first, bound); }
TEFF_EXPORT bool GOMP_loop_dynamic_next(long* first, long* bound) { return next_values(first, bound); }
TEFF_EXPORT bool GOMP_loop_guided_next(long* first, long* bound) { return next_values(first, bound); }
TEFF_EXPORT bool GOMP_loop_runtime_next(long* first, long* bound) { return next_values(first, bound); }
TEFF_EXPORT bool GOMP_loop_nonmonotonic_dynamic_next(long* first, long* bound) { return next_values(first, bound); }
TEFF_EXPORT bool GOMP_loop_nonmonotonic_guided_next(long* first, long* bound) { return next_values(first, bound); }
TEFF_EXPORT bool GOMP_loop_nonmonotonic_runtime_next(long* first, long* bound) { return next_values(first, bound); }
TEFF_EXPORT bool GOMP_loop_maybe_nonmonotonic_runtime_next(long* first, long* bound) {
    return next_values(first, bound);
}
TEFF_EXPORT bool GOMP_loop_ordered_static_next(long* first, long* bound) { return next_values(first, bound); }
TEFF_EXPORT bool GOMP_loop_ordered_dynamic_next(long* first, long* bound) { return next_values(first, bound); }
TEFF_EXPORT bool GOMP_loop_ordered_guided_next(long* first, long* bound) { return next_values(first, bound); }
TEFF_EXPORT bool GOMP_loop_ordered_runtime_next(long* first, long* bound) { return next_values(first, bound); }
TEFF_EXPORT bool GOMP_loop_ull_static_start(bool up, unsigned long long start, unsigned long long end,
                                            unsigned long long step, unsigned long long chunk,
                                            unsigned long long* first, unsigned long long* bound) {
    return start_values(fixed_loop(Iterations::of(up, start, end, step), ScheduleKind::static_, chunk, false), first,
                        bound);
}
TEFF_EXPORT bool GOMP_loop_ull_dynamic_start(bool up, unsigned long long start, unsigned long long end,
                                             unsigned long long step, unsigned long long chunk,
                                             unsigned long long* first, unsigned long long* bound) {
    return start_values(fixed_loop(Iterations::of(up, start, end, step), ScheduleKind::dynamic, chunk, false), first,
                        bound);
}
TEFF_EXPORT bool GOMP_loop_ull_guided_start(bool up, unsigned long long start, unsigned long long end,
                                            unsigned long long step, unsigned long long chunk,
                                            unsigned long long* first, unsigned long long* bound) {
    return start_values(fixed_loop(Iterations::of(up, start, end, step), ScheduleKind::guided, chunk, false), first,
                        bound);
}
TEFF_EXPORT bool GOMP_loop_ull_nonmonotonic_dynamic_start(bool up, unsigned long long start, unsigned long long end,
                                                          unsigned long long step, unsigned long long chunk,
                                                          unsigned long long* first, unsigned long long* bound) {
    return start_values(fixed_loop(Iterations::of(up, start, end, step), ScheduleKind::dynamic, chunk, false), first,
                        bound);
}
TEFF_EXPORT bool GOMP_loop_ull_nonmonotonic_guided_start(bool up, unsigned long long start, unsigned long long end,
                                                         unsigned long long step, unsigned long long chunk,
                                                         unsigned long long* first, unsigned long long* bound) {
    return start_values(fixed_loop(Iterations::of(up, start, end, step), ScheduleKind::guided, chunk, false), first,
                        bound);
}
TEFF_EXPORT bool GOMP_loop_ull_ordered_static_start(bool up, unsigned long long start, unsigned long long end,
                                                    unsigned long long step, unsigned long long chunk,
                                                    unsigned long long* first, unsigned long long* bound) {
    return start_values(fixed_loop(Iterations::of(up, start, end, step), ScheduleKind::static_, chunk, true), first,
                        bound);
}
TEFF_EXPORT bool GOMP_loop_ull_ordered_dynamic_start(bool up, unsigned long long start, unsigned long long end,
                                                     unsigned long long step, unsigned long long chunk,
                                                     unsigned long long* first, unsigned long long* bound) {
    return start_values(fixed_loop(Iterations::of(up, start, end, step), ScheduleKind::dynamic, chunk, true), first,
                        bound);
}
TEFF_EXPORT bool GOMP_loop_ull_ordered_guided_start(bool up, unsigned long long start, unsigned long long end,
                                                    unsigned long long step, unsigned long long chunk,
                                                    unsigned long long* first, unsigned long long* bound) {
    return start_values(fixed_loop(Iterations::of(up, start, end, step), ScheduleKind::guided, chunk, true), first,
                        bound);
}
TEFF_EXPORT bool GOMP_loop_ull_runtime_start(bool up, unsigned long long start, unsigned long long end,
                                             unsigned long long step, unsigned long long* first,
                                             unsigned long long* bound) {
    return start_values(runtime_loop(Iterations::of(up, start, end, step), false), first, bound);
}
TEFF_EXPORT bool GOMP_loop_ull_nonmonotonic_runtime_start(bool up, unsigned long long start, unsigned long long end,
                                                          unsigned long long step, unsigned long long* first,
                                                          unsigned long long* bound) {
    return start_values(runtime_loop(Iterations::of(up, start, end, step), false), first, bound);
}
TEFF_EXPORT bool GOMP_loop_ull_maybe_nonmonotonic_runtime_start(bool up, unsigned long long start,
                                                                unsigned long long end, unsigned long long step,
                                                                unsigned long long* first, unsigned long long* bound) {
    return start_values(runtime_loop(Iterations::of(up, start, end, step), false), first, bound);
}
TEFF_EXPORT bool GOMP_loop_ull_ordered_runtime_start(bool up, unsigned long long start, unsigned long long end,
                                                     unsigned long long step, unsigned long long* first,
                                                     unsigned long long* bound) {
    return start_values(runtime_loop(Iterations::of(up, start, end, step), true), first, bound);
}
TEFF_EXPORT bool GOMP_loop_ull_start(bool up, unsigned long long start, unsigned long long end, unsigned long long step,
                                     long schedule, unsigned long long chunk, unsigned long long* first,
                                     unsigned long long* bound, std::uintptr_t* reductions, void** memory) {
    return start_with_extras(asked_loop(Iterations::of(up, start, end, step), schedule, chunk, false), first, bound,
                             reductions, memory);
}
TEFF_EXPORT bool GOMP_loop_ull_ordered_start(bool up, unsigned long long start, unsigned long long end,
                                             unsigned long long step, long schedule, unsigned long long chunk,
                                             unsigned long long* first, unsigned long long* bound,
                                             std::uintptr_t* reductions, void** memory) {
    return start_with_extras(asked_loop(Iterations::of(up, start, end, step), schedule, chunk, true), first, bound,
                             reductions, memory);
}
TEFF_EXPORT bool GOMP_loop_ull_static_next(unsigned long long* first, unsigned long long* bound) {
    return next_values(first, bound);
}
TEFF_EXPORT bool GOMP_loop_ull_dynamic_next(unsigned long long* first, unsigned long long* bound) {
    return next_values(first, bound);
}
TEFF_EXPORT bool GOMP_loop_ull_guided_next(unsigned long long* first, unsigned long long* bound) {
    return next_values(first, bound);
}
TEFF_EXPORT bool GOMP_loop_ull_runtime_next(unsigned long long* first, unsigned long long* bound) {
    return next_values(first, bound);
}
TEFF_EXPORT bool GOMP_loop_ull_nonmonotonic_dynamic_next(unsigned long long* first, unsigned long long* bound) {
    return next_values(first, bound);
}
TEFF_EXPORT bool GOMP_loop_ull_nonmonotonic_guided_next(unsigned long long* first, unsigned long long* bound) {
    return next_values(first, bound);
}
TEFF_EXPORT bool GOMP_loop_ull_nonmonotonic_runtime_next(unsigned long long* first, unsigned long long* bound) {
    return next_values(first, bound);
}
TEFF_EXPORT bool GOMP_loop_ull_maybe_nonmonotonic_runtime_next(unsigned long long* first, unsigned long long* bound) {
    return next_values(first, bound);
}
TEFF_EXPORT bool GOMP_loop_ull_ordered_static_next(unsigned long long* first, unsigned long long* bound) {
    return next_values(first, bound);
}
TEFF_EXPORT bool GOMP_loop_ull_ordered_dynamic_next(unsigned long long* first, unsigned long long* bound) {
    return next_values(first, bound);
}
TEFF_EXPORT bool GOMP_loop_ull_ordered_guided_next(unsigned long long* first, unsigned long long* bound) {
    return next_values(first, bound);
}
TEFF_EXPORT bool GOMP_loop_ull_ordered_runtime_next(unsigned long long* first, unsigned long long* bound) {
    return next_values(first, bound);
}
TEFF_EXPORT void GOMP_loop_end() {
    loops::end();
    region::barrier();
}
TEFF_EXPORT void GOMP_loop_end_nowait() { loops::end(); }
TEFF_EXPORT bool GOMP_loop_end_cancel() {
    loops::end();
    region::barrier();
    return false;
}

TEFF_EXPORT void GOMP_parallel_loop_static(region::Body body, void* data, unsigned threads, long start, long end,
                                           long step, long chunk, unsigned) {
    const loops::Loop loop = fixed_loop(Iterations::of(start, end, step), ScheduleKind::static_, chunk, false);
    region::run(body, data, threads, &loop);
}
TEFF_EXPORT void GOMP_parallel_loop_dynamic(region::Body body, void* data, unsigned threads, long start, long end,
                                            long step, long chunk, unsigned) {
    const loops::Loop loop = fixed_loop(Iterations::of(start, end, step), ScheduleKind::dynamic, chunk, false);
    region::run(body, data, threads, &loop);
}
TEFF_EXPORT void GOMP_parallel_loop_guided(region::Body body, void* data, unsigned threads, long start, long end,
                                           long step, long chunk, unsigned) {
    const loops::Loop loop = fixed_loop(Iterations::of(start, end, step), ScheduleKind::guided, chunk, false);
    region::run(body, data, threads, &loop);
}
TEFF_EXPORT void GOMP_parallel_loop_nonmonotonic_dynamic(region::Body body, void* data, unsigned threads, long start,
                                                         long end, long step, long chunk, unsigned) {
    const loops::Loop loop = fixed_loop(Iterations::of(start, end, step), ScheduleKind::dynamic, chunk, false);
    region::run(body, data, threads, &loop);
}
TEFF_EXPORT void GOMP_parallel_loop_nonmonotonic_guided(region::Body body, void* data, unsigned threads, long start,
                                                        long end, long step, long chunk, unsigned) {
    const loops::Loop loop = fixed_loop(Iterations::of(start, end, step), ScheduleKind::guided, chunk, false);
    region::run(body, data, threads, &loop);
}
TEFF_EXPORT void GOMP_parallel_loop_runtime(region::Body body, void* data, unsigned threads, long start, long end,
                                            long step, unsigned) {
    const loops::Loop loop = runtime_loop(Iterations::of(start, end, step), false);
    region::run(body, data, threads, &loop);
}
TEFF_EXPORT void GOMP_parallel_loop_nonmonotonic_runtime(region::Body body, void* data, unsigned threads, long start,
                                                         long end, long step, unsigned) {
    const loops::Loop loop = runtime_loop(Iterations::of(start, end, step), false);
    region::run(body, data, threads, &loop);
}
TEFF_EXPORT void GOMP_parallel_loop_maybe_nonmonotonic_runtime(region::Body body, void* data, unsigned threads,
                                                               long start, long end, long step, unsigned) {
    const loops::Loop loop = runtime_loop(Iterations::of(start, end, step), false);
    region::run(body, data, threads, &loop);
}
TEFF_EXPORT void GOMP_parallel_loop_static_start(region::Body body, void* data, unsigned threads, long start, long end,
                                                 long step, long chunk) {
    const loops::Loop loop = fixed_loop(Iterations::of(start, end, step), ScheduleKind::static_, chunk, false);
    region::begin(body, data, threads, &loop);
}
TEFF_EXPORT void GOMP_parallel_loop_dynamic_start(region::Body body, void* data, unsigned threads, long start, long end,
                                                  long step, long chunk) {
    const loops::Loop loop = fixed_loop(Iterations::of(start, end, step), ScheduleKind::dynamic, chunk, false);
    region::begin(body, data, threads, &loop);
}
TEFF_EXPORT void GOMP_parallel_loop_guided_start(region::Body body, void* data, unsigned threads, long start, long end,
                                                 long step, long chunk) {
    const loops::Loop loop = fixed_loop(Iterations::of(start, end, step), ScheduleKind::guided, chunk, false);
    region::begin(body, data, threads, &loop);
}
TEFF_EXPORT void GOMP_parallel_loop_runtime_start(region::Body body, void* data, unsigned threads, long start, long end,
                                                  long step) {
    const loops::Loop loop = runtime_loop(Iterations::of(start, end, step), false);
    region::begin(body, data, threads, &loop);
}
