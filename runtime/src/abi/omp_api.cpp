// SPDX-License-Identifier: Apache-2.0
// The routines of omp.h that query or set properties of threads, levels, tasks and internal control
// variables; and the routines for time and events.
#include <climits>
#include <ctime>

#include "abi/current.h"
#include "abi/export.h"
#include "base/clock.h"
#include "icv/display.h"
#include "region/events.h"
#include "task/detach.h"
#include "topo/processors.h"

using namespace teff;
using abi::current_icvs;
using abi::current_place;
using abi::first_use;

// HOT queries: a load of thread-local storage, a test and two loads. The second function also
// checks for probes.
TEFF_EXPORT int omp_get_thread_num() {
    const team::Worker* worker = abi::known_worker();
    return TEFF_LIKELY(worker != nullptr) ? static_cast<int>(worker->member->number) : 0;
}

TEFF_EXPORT int omp_get_num_threads() {
    const team::Worker* worker = abi::known_worker();
    if (TEFF_UNLIKELY(worker == nullptr)) return 1;
    if (TEFF_UNLIKELY(worker->probes != 0)) region::events::team_size_asked(team::current_worker());
    return static_cast<int>(worker->member->team->size);
}

TEFF_EXPORT int omp_get_max_threads() { return abi::to_int(current_icvs().nthreads); }
TEFF_EXPORT int omp_get_num_procs() { return first_use(), topo::affinity_processors(); }
TEFF_EXPORT int omp_get_thread_limit() { return abi::to_int(current_icvs().thread_limit); }
TEFF_EXPORT int omp_get_max_active_levels() { return abi::to_int(current_icvs().max_active_levels); }
TEFF_EXPORT int omp_get_supported_active_levels() { return first_use(), icv::kSupportedActiveLevels; }
TEFF_EXPORT int omp_get_dynamic() { return current_icvs().dyn; }
TEFF_EXPORT int omp_get_proc_bind() { return static_cast<int>(current_icvs().bind); }
TEFF_EXPORT int omp_get_default_device() { return current_icvs().default_device; }
TEFF_EXPORT int omp_get_cancellation() { return first_use(), icv::global().cancellation; }
TEFF_EXPORT int omp_get_max_task_priority() { return first_use(), icv::global().max_task_priority; }

TEFF_EXPORT int omp_get_nested() {
    const auto levels = current_icvs().max_active_levels;
    return levels > 1 && levels > current_place().active_level;
}

TEFF_EXPORT void omp_get_schedule(unsigned* kind, int* chunk) {
    const icv::RunSchedule& schedule = current_icvs().run_sched;
    *kind = static_cast<unsigned>(schedule.kind) | (schedule.monotonic ? abi::kMonotonic : 0);
    *chunk = schedule.chunk;
}

TEFF_EXPORT void omp_set_num_threads(int threads) {
    abi::change_icvs([=](icv::TaskIcvs& icvs) { icvs.nthreads = threads > 0 ? static_cast<unsigned>(threads) : 1; });
}

TEFF_EXPORT void omp_set_dynamic(int dynamic) {
    abi::change_icvs([=](icv::TaskIcvs& icvs) { icvs.dyn = dynamic != 0; });
}

TEFF_EXPORT void omp_set_nested(int nested) {
    abi::change_icvs([=](icv::TaskIcvs& icvs) {
        if (nested != 0) icvs.max_active_levels = icv::kSupportedActiveLevels;
        else if (icvs.max_active_levels > 1) icvs.max_active_levels = 1;
    });
}

TEFF_EXPORT void omp_set_max_active_levels(int levels) {
    if (levels < 0) return;
    const auto allowed = std::min(static_cast<unsigned>(levels), icv::kSupportedActiveLevels);
    abi::change_icvs([=](icv::TaskIcvs& icvs) { icvs.max_active_levels = allowed; });
}

TEFF_EXPORT void omp_set_schedule(unsigned kind, int chunk) {
    if (abi::is_schedule(kind))
        abi::change_icvs([=](icv::TaskIcvs& icvs) { abi::set_schedule(icvs.run_sched, kind, chunk); });
}

TEFF_EXPORT void omp_set_default_device(int device) {
    abi::change_icvs([=](icv::TaskIcvs& icvs) { icvs.default_device = device; });
}

TEFF_EXPORT int omp_in_parallel() { return current_place().active_level > 0; }
TEFF_EXPORT int omp_get_level() { return abi::to_int(current_place().level); }
TEFF_EXPORT int omp_get_active_level() { return abi::to_int(current_place().active_level); }

TEFF_EXPORT int omp_get_ancestor_thread_num(int level) {
    const auto place = abi::ancestor_place(level);
    return place ? abi::to_int(place->number) : -1;
}

TEFF_EXPORT int omp_get_team_size(int level) {
    const auto place = abi::ancestor_place(level);
    return place ? abi::to_int(place->size) : -1;
}

TEFF_EXPORT int omp_in_final() {
    const team::Worker* worker = abi::known_worker();
    return worker != nullptr && (worker->task->flags & task::kFinal) != 0;
}

TEFF_EXPORT int omp_in_explicit_task() {
    const team::Worker* worker = abi::known_worker();
    return worker != nullptr && (worker->task->flags & task::kImplicit) == 0;
}

TEFF_EXPORT double omp_get_wtime() { return first_use(), static_cast<double>(base::monotonic_ns()) * 1e-9; }

TEFF_EXPORT double omp_get_wtick() {
    first_use();
    timespec resolution;
    clock_getres(CLOCK_MONOTONIC, &resolution);
    return static_cast<double>(resolution.tv_sec) + static_cast<double>(resolution.tv_nsec) * 1e-9;
}

TEFF_EXPORT void omp_fulfill_event(std::uintptr_t event) { task::fulfill_event(task::EventHandle{event}); }

TEFF_EXPORT void omp_display_env(int verbose) { first_use(), icv::display_on_stderr(icv::global(), verbose != 0); }
