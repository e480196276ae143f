// SPDX-License-Identifier: Apache-2.0
// The exported functions of the parallel construct, barrier and cancellation. The functions of the
// combined constructs are in gomp_parallel_loop.cpp and gomp_sections.cpp.
#include "abi/export.h"
#include "abi/gomp_arguments.h"
#include "abi/gomp_reduction.h"
#include "loop/cancel.h"
#include "region/region.h"
#include "task/taskgroup.h"

using namespace teff;

using Body = void (*)(void*);

TEFF_EXPORT void GOMP_parallel(Body body, void* data, unsigned num_threads, unsigned flags) {
    region::run(team::current_worker(),
                {.body = {body, data}, .num_threads = num_threads, .proc_bind = flags & 7, .site = TEFF_SITE});
}

// All implicit tasks share a taskgroup, where the copies are registered.
static void register_with_team(team::Team& team, void* blocks) {
    team.reductions = task::make_taskgroup(*team.leader, nullptr);
    abi::register_blocks(*team.leader, *team.reductions, static_cast<std::uintptr_t*>(blocks), nullptr, team.size);
}

TEFF_EXPORT unsigned GOMP_parallel_reductions(Body body, void* data, unsigned num_threads, unsigned flags) {
    return region::run(team::current_worker(), {.body = {body, data},
                                                .num_threads = num_threads,
                                                .proc_bind = flags & 7,
                                                .site = TEFF_SITE,
                                                .prepare = register_with_team,
                                                .prepare_argument = abi::parallel_reductions(data)});
}

TEFF_EXPORT void GOMP_parallel_start(Body body, void* data, unsigned num_threads) {
    region::begin(team::current_worker(),
                  {.body = {body, data}, .num_threads = num_threads, .program_calls_body = true, .site = TEFF_SITE});
}

TEFF_EXPORT void GOMP_parallel_end() { region::end(team::current_worker()); }

TEFF_EXPORT void GOMP_barrier() {
    region::barrier(team::current_worker(), region::BarrierKind::kExplicit, false, TEFF_SITE);
}

TEFF_EXPORT bool GOMP_barrier_cancel() {
    return region::barrier(team::current_worker(), region::BarrierKind::kExplicit, true, TEFF_SITE);
}

TEFF_EXPORT bool GOMP_cancellation_point(int kind) {
    return loop::cancellation_point(team::current_worker(), kind, TEFF_SITE);
}

TEFF_EXPORT bool GOMP_cancel(int kind, bool do_cancel) {
    team::Worker& worker = team::current_worker();
    return do_cancel ? loop::cancel(worker, kind, TEFF_SITE) : loop::cancellation_point(worker, kind, TEFF_SITE);
}
