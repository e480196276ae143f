// SPDX-License-Identifier: Apache-2.0
// The routines of omp.h.
#include "processes/tasks.h"
#include "processes/team.h"

#include <climits>
#include <ctime>
#include <unistd.h>

#include "abi/export.h"
#include "icv/icv.h"
#include "processes/locks.h"
#include "processes/run.h"

using namespace teff;
using namespace teff::processes;

namespace {

int to_int(std::uint32_t value) { return value > INT_MAX ? INT_MAX : static_cast<int>(value); }
constexpr unsigned kMonotonic = 0x8000'0000;

} // namespace

TEFF_EXPORT int omp_get_thread_num() { return to_int(current_team().number); }
TEFF_EXPORT int omp_get_num_threads() { return to_int(current_team().size); }
TEFF_EXPORT int omp_get_max_threads() { return to_int(tasks::icvs().nthreads); }
TEFF_EXPORT int omp_get_num_procs() { return to_int(run::number_of_processes()); }
TEFF_EXPORT int omp_get_thread_limit() { return to_int(tasks::icvs().thread_limit); }
TEFF_EXPORT int omp_get_max_active_levels() { return to_int(tasks::icvs().max_active_levels); }
TEFF_EXPORT int omp_get_supported_active_levels() { return icv::kSupportedActiveLevels; }
TEFF_EXPORT int omp_get_dynamic() { return tasks::icvs().dyn; }
TEFF_EXPORT int omp_get_proc_bind() { return 0; }
TEFF_EXPORT int omp_get_default_device() { return tasks::icvs().default_device; }
TEFF_EXPORT int omp_get_cancellation() { return 0; }
TEFF_EXPORT int omp_get_max_task_priority() { return icv::global().max_task_priority; }
TEFF_EXPORT int omp_get_nested() {
    const auto levels = tasks::icvs().max_active_levels;
    return levels > 1 && levels > current_team().active_level;
}
TEFF_EXPORT void omp_get_schedule(unsigned* kind, int* chunk) {
    const icv::RunSchedule& schedule = tasks::icvs().run_sched;
    *kind = static_cast<unsigned>(schedule.kind) | (schedule.monotonic ? kMonotonic : 0);
    *chunk = schedule.chunk;
}
TEFF_EXPORT void omp_set_num_threads(int threads) {
    tasks::icvs().nthreads = threads > 0 ? static_cast<unsigned>(threads) : 1;
}
TEFF_EXPORT void omp_set_dynamic(int dynamic) { tasks::icvs().dyn = dynamic != 0; }
TEFF_EXPORT void omp_set_nested(int nested) {
    auto& levels = tasks::icvs().max_active_levels;
    if (nested != 0) levels = icv::kSupportedActiveLevels;
    else if (levels > 1) levels = 1;
}
TEFF_EXPORT void omp_set_max_active_levels(int levels) {
    if (levels < 0) return;
    const auto asked = static_cast<unsigned>(levels);
    tasks::icvs().max_active_levels = asked < icv::kSupportedActiveLevels ? asked : icv::kSupportedActiveLevels;
}
TEFF_EXPORT void omp_set_schedule(unsigned kind, int chunk) {
    const unsigned plain = kind & ~kMonotonic;
    if (plain < 1 || plain > 4) return;
    icv::RunSchedule& schedule = tasks::icvs().run_sched;
    schedule.kind = static_cast<icv::ScheduleKind>(plain);
    schedule.monotonic = (kind & kMonotonic) != 0;
    if (schedule.kind == icv::ScheduleKind::auto_) return;
    schedule.chunk = chunk > 0 ? chunk : schedule.kind == icv::ScheduleKind::static_ ? 0 : 1;
}
TEFF_EXPORT void omp_set_default_device(int device) { tasks::icvs().default_device = device; }
TEFF_EXPORT int omp_in_parallel() { return current_team().active_level > 0; }
TEFF_EXPORT int omp_get_level() { return to_int(current_team().level); }
TEFF_EXPORT int omp_get_active_level() { return to_int(current_team().active_level); }
TEFF_EXPORT int omp_get_ancestor_thread_num(int level) {
    const Team* const team = team_at(level);
    return team == nullptr ? -1 : to_int(team->number);
}
TEFF_EXPORT int omp_get_team_size(int level) {
    const Team* const team = team_at(level);
    return team == nullptr ? -1 : to_int(team->size);
}
TEFF_EXPORT int omp_in_final() { return tasks::is_in_final(); }
TEFF_EXPORT int omp_in_explicit_task() { return tasks::is_explicit(); }
TEFF_EXPORT double omp_get_wtime() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}
TEFF_EXPORT double omp_get_wtick() { return 1e-9; }

// One device, the host, without places.
TEFF_EXPORT int omp_get_num_places() { return 0; }
TEFF_EXPORT int omp_get_place_num() { return -1; }
TEFF_EXPORT int omp_get_place_num_procs(int) { return 0; }
TEFF_EXPORT void omp_get_place_proc_ids(int, int*) {}
TEFF_EXPORT int omp_get_partition_num_places() { return 0; }
TEFF_EXPORT void omp_get_partition_place_nums(int*) {}
TEFF_EXPORT int omp_get_num_devices() { return 0; }
TEFF_EXPORT int omp_get_initial_device() { return 0; }
TEFF_EXPORT int omp_is_initial_device() { return 1; }
TEFF_EXPORT int omp_get_device_num() { return 0; }
TEFF_EXPORT void omp_display_env(int) {}
TEFF_EXPORT void omp_fulfill_event(std::uintptr_t event) { tasks::fulfil(event); }
// There are no resources to give back.
TEFF_EXPORT int omp_pause_resource(int kind, int device) { return (kind == 1 || kind == 2) && device == 0 ? 0 : -1; }
TEFF_EXPORT int omp_pause_resource_all(int kind) { return kind == 1 || kind == 2 ? 0 : -1; }

TEFF_EXPORT void omp_init_lock(void* lock) { *static_cast<int*>(lock) = 0; }
TEFF_EXPORT void omp_init_lock_with_hint(void* lock, unsigned) { *static_cast<int*>(lock) = 0; }
TEFF_EXPORT void omp_destroy_lock(void*) {}
TEFF_EXPORT void omp_set_lock(void* lock) { locks::lock(locks::key(lock)); }
TEFF_EXPORT void omp_unset_lock(void* lock) { locks::unlock(locks::key(lock)); }
TEFF_EXPORT int omp_test_lock(void* lock) { return locks::try_lock(locks::key(lock)); }
TEFF_EXPORT void omp_init_nest_lock(void* lock) { *static_cast<int*>(lock) = 0; }
TEFF_EXPORT void omp_init_nest_lock_with_hint(void* lock, unsigned) { *static_cast<int*>(lock) = 0; }
TEFF_EXPORT void omp_destroy_nest_lock(void*) {}
TEFF_EXPORT void omp_set_nest_lock(void* lock) { locks::lock_nested(locks::key(lock), tasks::current_id()); }
TEFF_EXPORT void omp_unset_nest_lock(void* lock) { locks::unlock(locks::key(lock)); }
TEFF_EXPORT int omp_test_nest_lock(void* lock) {
    return to_int(locks::try_lock_nested(locks::key(lock), tasks::current_id()));
}

// Fortran's routines. There, too, a lock's variable is identified by its address.
TEFF_EXPORT void omp_init_lock_(void* lock) { omp_init_lock(lock); }
TEFF_EXPORT void omp_init_lock_with_hint_(void* lock, const int*) { omp_init_lock(lock); }
TEFF_EXPORT void omp_destroy_lock_(void*) {}
TEFF_EXPORT void omp_set_lock_(void* lock) { omp_set_lock(lock); }
TEFF_EXPORT void omp_unset_lock_(void* lock) { omp_unset_lock(lock); }
TEFF_EXPORT int omp_test_lock_(void* lock) { return omp_test_lock(lock); }
TEFF_EXPORT void omp_init_nest_lock_(void* lock) { omp_init_nest_lock(lock); }
TEFF_EXPORT void omp_init_nest_lock_with_hint_(void* lock, const int*) { omp_init_nest_lock(lock); }
TEFF_EXPORT void omp_destroy_nest_lock_(void*) {}
TEFF_EXPORT void omp_set_nest_lock_(void* lock) { omp_set_nest_lock(lock); }
TEFF_EXPORT void omp_unset_nest_lock_(void* lock) { omp_unset_nest_lock(lock); }
TEFF_EXPORT int omp_test_nest_lock_(void* lock) { return omp_test_nest_lock(lock); }

// The linker would assign a plain name to the first version node that lists it. For these functions
// this is OMP_1.0, which is for the locks of older programs, with another layout.
#define TEFF_DEFAULT_VERSION(name) __asm__(".symver " #name ", " #name "@@@OMP_3.0")

TEFF_DEFAULT_VERSION(omp_init_lock);
TEFF_DEFAULT_VERSION(omp_init_lock_);
TEFF_DEFAULT_VERSION(omp_destroy_lock);
TEFF_DEFAULT_VERSION(omp_destroy_lock_);
TEFF_DEFAULT_VERSION(omp_set_lock);
TEFF_DEFAULT_VERSION(omp_set_lock_);
TEFF_DEFAULT_VERSION(omp_unset_lock);
TEFF_DEFAULT_VERSION(omp_unset_lock_);
TEFF_DEFAULT_VERSION(omp_test_lock);
TEFF_DEFAULT_VERSION(omp_test_lock_);
TEFF_DEFAULT_VERSION(omp_init_nest_lock);
TEFF_DEFAULT_VERSION(omp_init_nest_lock_);
TEFF_DEFAULT_VERSION(omp_destroy_nest_lock);
TEFF_DEFAULT_VERSION(omp_destroy_nest_lock_);
TEFF_DEFAULT_VERSION(omp_set_nest_lock);
TEFF_DEFAULT_VERSION(omp_set_nest_lock_);
TEFF_DEFAULT_VERSION(omp_unset_nest_lock);
TEFF_DEFAULT_VERSION(omp_unset_nest_lock_);
TEFF_DEFAULT_VERSION(omp_test_nest_lock);
TEFF_DEFAULT_VERSION(omp_test_nest_lock_);

// In those older programs, nestable locks belong to threads.
static constexpr std::uint64_t kThread = 1;
extern "C" {
void old_set_nest_lock(void* lock) { locks::lock_nested(locks::key(lock), kThread); }
int old_test_nest_lock(void* lock) { return to_int(locks::try_lock_nested(locks::key(lock), kThread)); }
}

#define TEFF_OLD_VERSION(name, function)                                                                               \
    extern "C" [[gnu::visibility("default"), gnu::alias(#function)]] decltype(function) old_##name;                    \
    __asm__(".symver old_" #name ", " #name "@OMP_1.0");

TEFF_OLD_VERSION(omp_init_lock, omp_init_lock)
TEFF_OLD_VERSION(omp_init_lock_, omp_init_lock_)
TEFF_OLD_VERSION(omp_destroy_lock, omp_destroy_lock)
TEFF_OLD_VERSION(omp_destroy_lock_, omp_destroy_lock_)
TEFF_OLD_VERSION(omp_set_lock, omp_set_lock)
TEFF_OLD_VERSION(omp_set_lock_, omp_set_lock_)
TEFF_OLD_VERSION(omp_unset_lock, omp_unset_lock)
TEFF_OLD_VERSION(omp_unset_lock_, omp_unset_lock_)
TEFF_OLD_VERSION(omp_test_lock, omp_test_lock)
TEFF_OLD_VERSION(omp_test_lock_, omp_test_lock_)
TEFF_OLD_VERSION(omp_init_nest_lock, omp_init_nest_lock)
TEFF_OLD_VERSION(omp_init_nest_lock_, omp_init_nest_lock_)
TEFF_OLD_VERSION(omp_destroy_nest_lock, omp_destroy_nest_lock)
TEFF_OLD_VERSION(omp_destroy_nest_lock_, omp_destroy_nest_lock_)
TEFF_OLD_VERSION(omp_unset_nest_lock, omp_unset_nest_lock)
TEFF_OLD_VERSION(omp_unset_nest_lock_, omp_unset_nest_lock_)
TEFF_OLD_VERSION(omp_set_nest_lock, old_set_nest_lock)
TEFF_OLD_VERSION(omp_set_nest_lock_, old_set_nest_lock)
TEFF_OLD_VERSION(omp_test_nest_lock, old_test_nest_lock)
TEFF_OLD_VERSION(omp_test_nest_lock_, old_test_nest_lock)
