// SPDX-License-Identifier: Apache-2.0
//
// The routines of omp.h as Fortran calls them: the name has an underscore at its end, and the
// arguments are passed by reference. The names that end in `_8_` are for programs compiled with
// -fdefault-integer-8. The routines for locks are in omp_locks.cpp; the routines that have texts
// and arrays as arguments are in omp_affinity.cpp.
#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>

#include "abi/export.h"
#include "abi/omp_routines.h"

namespace {

int to_int(std::int64_t value) { return static_cast<int>(std::clamp<std::int64_t>(value, INT_MIN, INT_MAX)); }

} // namespace

TEFF_EXPORT std::int32_t omp_get_thread_num_() { return omp_get_thread_num(); }
TEFF_EXPORT std::int32_t omp_get_num_threads_() { return omp_get_num_threads(); }
TEFF_EXPORT std::int32_t omp_get_max_threads_() { return omp_get_max_threads(); }
TEFF_EXPORT std::int32_t omp_get_num_procs_() { return omp_get_num_procs(); }
TEFF_EXPORT std::int32_t omp_get_thread_limit_() { return omp_get_thread_limit(); }
TEFF_EXPORT std::int32_t omp_get_max_active_levels_() { return omp_get_max_active_levels(); }
TEFF_EXPORT std::int32_t omp_get_supported_active_levels_() { return omp_get_supported_active_levels(); }
TEFF_EXPORT std::int32_t omp_get_dynamic_() { return omp_get_dynamic(); }
TEFF_EXPORT std::int32_t omp_get_proc_bind_() { return omp_get_proc_bind(); }
TEFF_EXPORT std::int32_t omp_get_default_device_() { return omp_get_default_device(); }
TEFF_EXPORT std::int32_t omp_get_cancellation_() { return omp_get_cancellation(); }
TEFF_EXPORT std::int32_t omp_get_max_task_priority_() { return omp_get_max_task_priority(); }
TEFF_EXPORT std::int32_t omp_get_nested_() { return omp_get_nested(); }
TEFF_EXPORT std::int32_t omp_in_parallel_() { return omp_in_parallel(); }
TEFF_EXPORT std::int32_t omp_get_level_() { return omp_get_level(); }
TEFF_EXPORT std::int32_t omp_get_active_level_() { return omp_get_active_level(); }
TEFF_EXPORT std::int32_t omp_in_final_() { return omp_in_final(); }
TEFF_EXPORT std::int32_t omp_get_num_places_() { return omp_get_num_places(); }
TEFF_EXPORT std::int32_t omp_get_place_num_() { return omp_get_place_num(); }
TEFF_EXPORT std::int32_t omp_get_partition_num_places_() { return omp_get_partition_num_places(); }
TEFF_EXPORT std::int32_t omp_get_num_devices_() { return omp_get_num_devices(); }
TEFF_EXPORT std::int32_t omp_get_initial_device_() { return omp_get_initial_device(); }
TEFF_EXPORT std::int32_t omp_is_initial_device_() { return omp_is_initial_device(); }
TEFF_EXPORT std::int32_t omp_get_device_num_() { return omp_get_device_num(); }
TEFF_EXPORT std::int32_t omp_get_num_teams_() { return omp_get_num_teams(); }
TEFF_EXPORT std::int32_t omp_get_team_num_() { return omp_get_team_num(); }
TEFF_EXPORT std::int32_t omp_get_max_teams_() { return omp_get_max_teams(); }
TEFF_EXPORT std::int32_t omp_in_explicit_task_() { return omp_in_explicit_task(); }
TEFF_EXPORT std::int32_t omp_get_teams_thread_limit_() { return omp_get_teams_thread_limit(); }

TEFF_EXPORT double omp_get_wtime_() { return omp_get_wtime(); }
TEFF_EXPORT double omp_get_wtick_() { return omp_get_wtick(); }

TEFF_EXPORT std::int32_t omp_get_ancestor_thread_num_(const std::int32_t* level) {
    return omp_get_ancestor_thread_num(*level);
}
TEFF_EXPORT std::int32_t omp_get_ancestor_thread_num_8_(const std::int64_t* level) {
    return omp_get_ancestor_thread_num(to_int(*level));
}
TEFF_EXPORT std::int32_t omp_get_team_size_(const std::int32_t* level) { return omp_get_team_size(*level); }
TEFF_EXPORT std::int32_t omp_get_team_size_8_(const std::int64_t* level) { return omp_get_team_size(to_int(*level)); }
TEFF_EXPORT std::int32_t omp_get_place_num_procs_(const std::int32_t* place) { return omp_get_place_num_procs(*place); }
TEFF_EXPORT std::int32_t omp_get_place_num_procs_8_(const std::int64_t* place) {
    return omp_get_place_num_procs(to_int(*place));
}

TEFF_EXPORT void omp_set_dynamic_(const std::int32_t* dynamic) { omp_set_dynamic(*dynamic); }
TEFF_EXPORT void omp_set_dynamic_8_(const std::int64_t* dynamic) { omp_set_dynamic(*dynamic != 0); }
TEFF_EXPORT void omp_set_nested_(const std::int32_t* nested) { omp_set_nested(*nested); }
TEFF_EXPORT void omp_set_nested_8_(const std::int64_t* nested) { omp_set_nested(*nested != 0); }
TEFF_EXPORT void omp_set_num_threads_(const std::int32_t* threads) { omp_set_num_threads(*threads); }
TEFF_EXPORT void omp_set_num_threads_8_(const std::int64_t* threads) { omp_set_num_threads(to_int(*threads)); }
TEFF_EXPORT void omp_set_max_active_levels_(const std::int32_t* levels) { omp_set_max_active_levels(*levels); }
TEFF_EXPORT void omp_set_max_active_levels_8_(const std::int64_t* levels) {
    omp_set_max_active_levels(to_int(*levels));
}
TEFF_EXPORT void omp_set_num_teams_(const std::int32_t* teams) { omp_set_num_teams(*teams); }
TEFF_EXPORT void omp_set_num_teams_8_(const std::int64_t* teams) { omp_set_num_teams(to_int(*teams)); }
TEFF_EXPORT void omp_set_teams_thread_limit_(const std::int32_t* threads) { omp_set_teams_thread_limit(*threads); }
TEFF_EXPORT void omp_set_teams_thread_limit_8_(const std::int64_t* threads) {
    omp_set_teams_thread_limit(to_int(*threads));
}
TEFF_EXPORT void omp_set_default_device_(const std::int32_t* device) { omp_set_default_device(*device); }
TEFF_EXPORT void omp_set_default_device_8_(const std::int64_t* device) { omp_set_default_device(to_int(*device)); }
TEFF_EXPORT void omp_display_env_(const std::int32_t* verbose) { omp_display_env(*verbose); }
TEFF_EXPORT void omp_display_env_8_(const std::int64_t* verbose) { omp_display_env(*verbose != 0); }

TEFF_EXPORT void omp_set_schedule_(const std::int32_t* kind, const std::int32_t* chunk) {
    omp_set_schedule(static_cast<unsigned>(*kind), *chunk);
}

TEFF_EXPORT void omp_set_schedule_8_(const std::int32_t* kind, const std::int64_t* chunk) {
    omp_set_schedule(static_cast<unsigned>(*kind), to_int(*chunk));
}

// Returns the kind without the monotonic bit, which Fortran programs of OpenMP 4.5 do not know;
// libgomp also leaves it out.
TEFF_EXPORT void omp_get_schedule_(std::int32_t* kind, std::int32_t* chunk) {
    unsigned with_modifier;
    omp_get_schedule(&with_modifier, chunk);
    *kind = static_cast<std::int32_t>(with_modifier & 0x7fff'ffff);
}

TEFF_EXPORT void omp_get_schedule_8_(std::int32_t* kind, std::int64_t* chunk) {
    std::int32_t narrow;
    omp_get_schedule_(kind, &narrow);
    *chunk = narrow;
}

TEFF_EXPORT void omp_fulfill_event_(std::uintptr_t event) { omp_fulfill_event(event); }

TEFF_EXPORT std::int32_t omp_pause_resource_(const std::int32_t* kind, const std::int32_t* device) {
    return omp_pause_resource(*kind, *device);
}

TEFF_EXPORT std::int32_t omp_pause_resource_all_(const std::int32_t* kind) { return omp_pause_resource_all(*kind); }

TEFF_EXPORT std::uintptr_t omp_init_allocator_(const std::uintptr_t* space, const std::int32_t* count,
                                               const teff::mem::AllocatorTrait* traits) {
    return omp_init_allocator(*space, *count, traits);
}

TEFF_EXPORT std::uintptr_t omp_init_allocator_8_(const std::uintptr_t* space, const std::int64_t* count,
                                                 const teff::mem::AllocatorTrait* traits) {
    return omp_init_allocator(*space, to_int(*count), traits);
}

TEFF_EXPORT void omp_destroy_allocator_(const std::uintptr_t* allocator) { omp_destroy_allocator(*allocator); }
TEFF_EXPORT void omp_set_default_allocator_(const std::uintptr_t* allocator) { omp_set_default_allocator(*allocator); }
TEFF_EXPORT std::uintptr_t omp_get_default_allocator_() { return omp_get_default_allocator(); }
