// SPDX-License-Identifier: Apache-2.0
//
// The routines of omp.h in the version that programs of LLVM's compilers ask for: Clang's binaries
// bind every name to version VERSION, the name of libomp's only version of its own. Each symbol is
// a jump to the routine, which GCC's binaries call in the specification's version.
//
// A nest lock has 8 bytes in LLVM's omp.h, as in Fortran, and 16 in GCC's. So the routines for nest
// locks jump to Fortran's, whose lock is the address of a nest lock.
//
// exports.map cannot list these symbols, since the same names are in other nodes. check_abi.py
// reads this file.

#include "abi/current.h"
#include "abi/omp_routines.h"

#if defined(__x86_64__)
#define TEFF_JUMP "jmp "
#define TEFF_FAR "@PLT"
#elif defined(__aarch64__)
#define TEFF_JUMP "b "
#define TEFF_FAR ""
#endif

#define TEFF_FORWARD_TO(name, target)                                                                                  \
    __asm__(".text\n.globl version_" #name "\n.type version_" #name ", %function\nversion_" #name                      \
            ":\n\t" TEFF_JUMP #target TEFF_FAR "\n.size version_" #name ", . - version_" #name                         \
            "\n.symver version_" #name ", " #name "@VERSION")
#define TEFF_FORWARD(name) TEFF_FORWARD_TO(name, name)

// A static schedule without a modifier is monotonic. libgomp says so in the kind that
// omp_get_schedule stores, and libomp does not. And libomp's default is a static schedule.
extern "C" [[gnu::visibility("hidden"), gnu::used]] void teff_get_schedule_of_libomp(unsigned* kind, int* chunk) {
    constexpr auto kStatic = static_cast<unsigned>(teff::icv::ScheduleKind::static_);
    omp_get_schedule(kind, chunk);
    const teff::icv::RunSchedule& now = teff::abi::current_icvs().run_sched;
    if (now.is_default) *chunk = 0, *kind = kStatic;
    if (now.kind == teff::icv::ScheduleKind::static_ && !now.has_modifier) *kind = kStatic;
}
TEFF_FORWARD_TO(omp_get_schedule, teff_get_schedule_of_libomp);
TEFF_FORWARD(omp_get_schedule_);

TEFF_FORWARD_TO(omp_destroy_nest_lock, omp_destroy_nest_lock_);
TEFF_FORWARD_TO(omp_init_nest_lock, omp_init_nest_lock_);
TEFF_FORWARD_TO(omp_set_nest_lock, omp_set_nest_lock_);
TEFF_FORWARD_TO(omp_test_nest_lock, omp_test_nest_lock_);
TEFF_FORWARD_TO(omp_unset_nest_lock, omp_unset_nest_lock_);

TEFF_FORWARD(omp_aligned_alloc);
TEFF_FORWARD(omp_aligned_calloc);
TEFF_FORWARD(omp_alloc);
TEFF_FORWARD(omp_calloc);
TEFF_FORWARD(omp_capture_affinity);
TEFF_FORWARD(omp_capture_affinity_);
TEFF_FORWARD(omp_control_tool);
TEFF_FORWARD(omp_control_tool_);
TEFF_FORWARD(omp_destroy_allocator);
TEFF_FORWARD(omp_destroy_allocator_);
TEFF_FORWARD(omp_destroy_lock);
TEFF_FORWARD(omp_destroy_lock_);
TEFF_FORWARD(omp_destroy_nest_lock_);
TEFF_FORWARD(omp_display_affinity);
TEFF_FORWARD(omp_display_affinity_);
TEFF_FORWARD(omp_display_env);
TEFF_FORWARD(omp_display_env_);
TEFF_FORWARD(omp_free);
TEFF_FORWARD(omp_fulfill_event);
TEFF_FORWARD(omp_fulfill_event_);
TEFF_FORWARD(omp_get_active_level);
TEFF_FORWARD(omp_get_active_level_);
TEFF_FORWARD(omp_get_affinity_format);
TEFF_FORWARD(omp_get_affinity_format_);
TEFF_FORWARD(omp_get_ancestor_thread_num);
TEFF_FORWARD(omp_get_ancestor_thread_num_);
TEFF_FORWARD(omp_get_cancellation);
TEFF_FORWARD(omp_get_cancellation_);
TEFF_FORWARD(omp_get_default_allocator);
TEFF_FORWARD(omp_get_default_allocator_);
TEFF_FORWARD(omp_get_default_device);
TEFF_FORWARD(omp_get_default_device_);
TEFF_FORWARD(omp_get_device_num);
TEFF_FORWARD(omp_get_device_num_);
TEFF_FORWARD(omp_get_dynamic);
TEFF_FORWARD(omp_get_dynamic_);
TEFF_FORWARD(omp_get_initial_device);
TEFF_FORWARD(omp_get_initial_device_);
TEFF_FORWARD(omp_get_interop_int);
TEFF_FORWARD(omp_get_interop_name);
TEFF_FORWARD(omp_get_interop_name_);
TEFF_FORWARD(omp_get_interop_ptr);
TEFF_FORWARD(omp_get_interop_rc_desc);
TEFF_FORWARD(omp_get_interop_rc_desc_);
TEFF_FORWARD(omp_get_interop_str);
TEFF_FORWARD(omp_get_interop_str_);
TEFF_FORWARD(omp_get_interop_type_desc);
TEFF_FORWARD(omp_get_interop_type_desc_);
TEFF_FORWARD(omp_get_level);
TEFF_FORWARD(omp_get_level_);
TEFF_FORWARD(omp_get_max_active_levels);
TEFF_FORWARD(omp_get_max_active_levels_);
TEFF_FORWARD(omp_get_max_task_priority);
TEFF_FORWARD(omp_get_max_task_priority_);
TEFF_FORWARD(omp_get_max_teams);
TEFF_FORWARD(omp_get_max_teams_);
TEFF_FORWARD(omp_get_max_threads);
TEFF_FORWARD(omp_get_max_threads_);
TEFF_FORWARD(omp_get_nested);
TEFF_FORWARD(omp_get_nested_);
TEFF_FORWARD(omp_get_num_devices);
TEFF_FORWARD(omp_get_num_devices_);
TEFF_FORWARD(omp_get_num_interop_properties);
TEFF_FORWARD(omp_get_num_places);
TEFF_FORWARD(omp_get_num_places_);
TEFF_FORWARD(omp_get_num_procs);
TEFF_FORWARD(omp_get_num_procs_);
TEFF_FORWARD(omp_get_num_teams);
TEFF_FORWARD(omp_get_num_teams_);
TEFF_FORWARD(omp_get_num_threads);
TEFF_FORWARD(omp_get_num_threads_);
TEFF_FORWARD(omp_get_partition_num_places);
TEFF_FORWARD(omp_get_partition_num_places_);
TEFF_FORWARD(omp_get_partition_place_nums);
TEFF_FORWARD(omp_get_partition_place_nums_);
TEFF_FORWARD(omp_get_place_num);
TEFF_FORWARD(omp_get_place_num_);
TEFF_FORWARD(omp_get_place_num_procs);
TEFF_FORWARD(omp_get_place_num_procs_);
TEFF_FORWARD(omp_get_place_proc_ids);
TEFF_FORWARD(omp_get_place_proc_ids_);
TEFF_FORWARD(omp_get_proc_bind);
TEFF_FORWARD(omp_get_proc_bind_);
TEFF_FORWARD(omp_get_supported_active_levels);
TEFF_FORWARD(omp_get_supported_active_levels_);
TEFF_FORWARD(omp_get_team_num);
TEFF_FORWARD(omp_get_team_num_);
TEFF_FORWARD(omp_get_team_size);
TEFF_FORWARD(omp_get_team_size_);
TEFF_FORWARD(omp_get_teams_thread_limit);
TEFF_FORWARD(omp_get_teams_thread_limit_);
TEFF_FORWARD(omp_get_thread_limit);
TEFF_FORWARD(omp_get_thread_limit_);
TEFF_FORWARD(omp_get_thread_num);
TEFF_FORWARD(omp_get_thread_num_);
TEFF_FORWARD(omp_get_wtick);
TEFF_FORWARD(omp_get_wtick_);
TEFF_FORWARD(omp_get_wtime);
TEFF_FORWARD(omp_get_wtime_);
TEFF_FORWARD(omp_in_explicit_task);
TEFF_FORWARD(omp_in_explicit_task_);
TEFF_FORWARD(omp_in_final);
TEFF_FORWARD(omp_in_final_);
TEFF_FORWARD(omp_in_parallel);
TEFF_FORWARD(omp_in_parallel_);
TEFF_FORWARD(omp_init_allocator);
TEFF_FORWARD(omp_init_allocator_);
TEFF_FORWARD(omp_init_lock);
TEFF_FORWARD(omp_init_lock_);
TEFF_FORWARD(omp_init_nest_lock_);
TEFF_FORWARD(omp_is_initial_device);
TEFF_FORWARD(omp_is_initial_device_);
TEFF_FORWARD(omp_pause_resource);
TEFF_FORWARD(omp_pause_resource_);
TEFF_FORWARD(omp_pause_resource_all);
TEFF_FORWARD(omp_pause_resource_all_);
TEFF_FORWARD(omp_realloc);
TEFF_FORWARD(omp_set_affinity_format);
TEFF_FORWARD(omp_set_affinity_format_);
TEFF_FORWARD(omp_set_default_allocator);
TEFF_FORWARD(omp_set_default_allocator_);
TEFF_FORWARD(omp_set_default_device);
TEFF_FORWARD(omp_set_default_device_);
TEFF_FORWARD(omp_set_dynamic);
TEFF_FORWARD(omp_set_dynamic_);
TEFF_FORWARD(omp_set_lock);
TEFF_FORWARD(omp_set_lock_);
TEFF_FORWARD(omp_set_max_active_levels);
TEFF_FORWARD(omp_set_max_active_levels_);
TEFF_FORWARD(omp_set_nest_lock_);
TEFF_FORWARD(omp_set_nested);
TEFF_FORWARD(omp_set_nested_);
TEFF_FORWARD(omp_set_num_teams);
TEFF_FORWARD(omp_set_num_teams_);
TEFF_FORWARD(omp_set_num_threads);
TEFF_FORWARD(omp_set_num_threads_);
TEFF_FORWARD(omp_set_schedule);
TEFF_FORWARD(omp_set_schedule_);
TEFF_FORWARD(omp_set_teams_thread_limit);
TEFF_FORWARD(omp_set_teams_thread_limit_);
TEFF_FORWARD(omp_test_lock);
TEFF_FORWARD(omp_test_lock_);
TEFF_FORWARD(omp_test_nest_lock_);
TEFF_FORWARD(omp_unset_lock);
TEFF_FORWARD(omp_unset_lock_);
TEFF_FORWARD(omp_unset_nest_lock_);

// The functions of GCC's interface, which libomp has in this version, too.
TEFF_FORWARD(GOMP_alloc);
TEFF_FORWARD(GOMP_atomic_end);
TEFF_FORWARD(GOMP_atomic_start);
TEFF_FORWARD(GOMP_barrier);
TEFF_FORWARD(GOMP_barrier_cancel);
TEFF_FORWARD(GOMP_cancel);
TEFF_FORWARD(GOMP_cancellation_point);
TEFF_FORWARD(GOMP_critical_end);
TEFF_FORWARD(GOMP_critical_name_end);
TEFF_FORWARD(GOMP_critical_name_start);
TEFF_FORWARD(GOMP_critical_start);
TEFF_FORWARD(GOMP_doacross_post);
TEFF_FORWARD(GOMP_doacross_ull_post);
TEFF_FORWARD(GOMP_doacross_ull_wait);
TEFF_FORWARD(GOMP_doacross_wait);
TEFF_FORWARD(GOMP_free);
TEFF_FORWARD(GOMP_loop_doacross_dynamic_start);
TEFF_FORWARD(GOMP_loop_doacross_guided_start);
TEFF_FORWARD(GOMP_loop_doacross_runtime_start);
TEFF_FORWARD(GOMP_loop_doacross_start);
TEFF_FORWARD(GOMP_loop_doacross_static_start);
TEFF_FORWARD(GOMP_loop_dynamic_next);
TEFF_FORWARD(GOMP_loop_dynamic_start);
TEFF_FORWARD(GOMP_loop_end);
TEFF_FORWARD(GOMP_loop_end_cancel);
TEFF_FORWARD(GOMP_loop_end_nowait);
TEFF_FORWARD(GOMP_loop_guided_next);
TEFF_FORWARD(GOMP_loop_guided_start);
TEFF_FORWARD(GOMP_loop_maybe_nonmonotonic_runtime_next);
TEFF_FORWARD(GOMP_loop_maybe_nonmonotonic_runtime_start);
TEFF_FORWARD(GOMP_loop_nonmonotonic_dynamic_next);
TEFF_FORWARD(GOMP_loop_nonmonotonic_dynamic_start);
TEFF_FORWARD(GOMP_loop_nonmonotonic_guided_next);
TEFF_FORWARD(GOMP_loop_nonmonotonic_guided_start);
TEFF_FORWARD(GOMP_loop_nonmonotonic_runtime_next);
TEFF_FORWARD(GOMP_loop_nonmonotonic_runtime_start);
TEFF_FORWARD(GOMP_loop_ordered_dynamic_next);
TEFF_FORWARD(GOMP_loop_ordered_dynamic_start);
TEFF_FORWARD(GOMP_loop_ordered_guided_next);
TEFF_FORWARD(GOMP_loop_ordered_guided_start);
TEFF_FORWARD(GOMP_loop_ordered_runtime_next);
TEFF_FORWARD(GOMP_loop_ordered_runtime_start);
TEFF_FORWARD(GOMP_loop_ordered_start);
TEFF_FORWARD(GOMP_loop_ordered_static_next);
TEFF_FORWARD(GOMP_loop_ordered_static_start);
TEFF_FORWARD(GOMP_loop_runtime_next);
TEFF_FORWARD(GOMP_loop_runtime_start);
TEFF_FORWARD(GOMP_loop_start);
TEFF_FORWARD(GOMP_loop_static_next);
TEFF_FORWARD(GOMP_loop_static_start);
TEFF_FORWARD(GOMP_loop_ull_doacross_dynamic_start);
TEFF_FORWARD(GOMP_loop_ull_doacross_guided_start);
TEFF_FORWARD(GOMP_loop_ull_doacross_runtime_start);
TEFF_FORWARD(GOMP_loop_ull_doacross_start);
TEFF_FORWARD(GOMP_loop_ull_doacross_static_start);
TEFF_FORWARD(GOMP_loop_ull_dynamic_next);
TEFF_FORWARD(GOMP_loop_ull_dynamic_start);
TEFF_FORWARD(GOMP_loop_ull_guided_next);
TEFF_FORWARD(GOMP_loop_ull_guided_start);
TEFF_FORWARD(GOMP_loop_ull_maybe_nonmonotonic_runtime_next);
TEFF_FORWARD(GOMP_loop_ull_maybe_nonmonotonic_runtime_start);
TEFF_FORWARD(GOMP_loop_ull_nonmonotonic_dynamic_next);
TEFF_FORWARD(GOMP_loop_ull_nonmonotonic_dynamic_start);
TEFF_FORWARD(GOMP_loop_ull_nonmonotonic_guided_next);
TEFF_FORWARD(GOMP_loop_ull_nonmonotonic_guided_start);
TEFF_FORWARD(GOMP_loop_ull_nonmonotonic_runtime_next);
TEFF_FORWARD(GOMP_loop_ull_nonmonotonic_runtime_start);
TEFF_FORWARD(GOMP_loop_ull_ordered_dynamic_next);
TEFF_FORWARD(GOMP_loop_ull_ordered_dynamic_start);
TEFF_FORWARD(GOMP_loop_ull_ordered_guided_next);
TEFF_FORWARD(GOMP_loop_ull_ordered_guided_start);
TEFF_FORWARD(GOMP_loop_ull_ordered_runtime_next);
TEFF_FORWARD(GOMP_loop_ull_ordered_runtime_start);
TEFF_FORWARD(GOMP_loop_ull_ordered_start);
TEFF_FORWARD(GOMP_loop_ull_ordered_static_next);
TEFF_FORWARD(GOMP_loop_ull_ordered_static_start);
TEFF_FORWARD(GOMP_loop_ull_runtime_next);
TEFF_FORWARD(GOMP_loop_ull_runtime_start);
TEFF_FORWARD(GOMP_loop_ull_start);
TEFF_FORWARD(GOMP_loop_ull_static_next);
TEFF_FORWARD(GOMP_loop_ull_static_start);
TEFF_FORWARD(GOMP_ordered_end);
TEFF_FORWARD(GOMP_ordered_start);
TEFF_FORWARD(GOMP_parallel);
TEFF_FORWARD(GOMP_parallel_end);
TEFF_FORWARD(GOMP_parallel_loop_dynamic);
TEFF_FORWARD(GOMP_parallel_loop_dynamic_start);
TEFF_FORWARD(GOMP_parallel_loop_guided);
TEFF_FORWARD(GOMP_parallel_loop_guided_start);
TEFF_FORWARD(GOMP_parallel_loop_maybe_nonmonotonic_runtime);
TEFF_FORWARD(GOMP_parallel_loop_nonmonotonic_dynamic);
TEFF_FORWARD(GOMP_parallel_loop_nonmonotonic_guided);
TEFF_FORWARD(GOMP_parallel_loop_nonmonotonic_runtime);
TEFF_FORWARD(GOMP_parallel_loop_runtime);
TEFF_FORWARD(GOMP_parallel_loop_runtime_start);
TEFF_FORWARD(GOMP_parallel_loop_static);
TEFF_FORWARD(GOMP_parallel_loop_static_start);
TEFF_FORWARD(GOMP_parallel_reductions);
TEFF_FORWARD(GOMP_parallel_sections);
TEFF_FORWARD(GOMP_parallel_sections_start);
TEFF_FORWARD(GOMP_parallel_start);
TEFF_FORWARD(GOMP_sections2_start);
TEFF_FORWARD(GOMP_sections_end);
TEFF_FORWARD(GOMP_sections_end_cancel);
TEFF_FORWARD(GOMP_sections_end_nowait);
TEFF_FORWARD(GOMP_sections_next);
TEFF_FORWARD(GOMP_sections_start);
TEFF_FORWARD(GOMP_single_copy_end);
TEFF_FORWARD(GOMP_single_copy_start);
TEFF_FORWARD(GOMP_single_start);
TEFF_FORWARD(GOMP_target);
TEFF_FORWARD(GOMP_target_data);
TEFF_FORWARD(GOMP_target_end_data);
TEFF_FORWARD(GOMP_target_update);
TEFF_FORWARD(GOMP_task);
TEFF_FORWARD(GOMP_task_reduction_remap);
TEFF_FORWARD(GOMP_taskgroup_end);
TEFF_FORWARD(GOMP_taskgroup_reduction_register);
TEFF_FORWARD(GOMP_taskgroup_reduction_unregister);
TEFF_FORWARD(GOMP_taskgroup_start);
TEFF_FORWARD(GOMP_taskloop);
TEFF_FORWARD(GOMP_taskloop_ull);
TEFF_FORWARD(GOMP_taskwait);
TEFF_FORWARD(GOMP_taskwait_depend);
TEFF_FORWARD(GOMP_taskyield);
TEFF_FORWARD(GOMP_teams);
TEFF_FORWARD(GOMP_teams_reg);
TEFF_FORWARD(GOMP_workshare_task_reduction_unregister);

// The names that LLVM's omp.h gives to routines whose names Fortran has, too.
TEFF_FORWARD_TO(ompc_capture_affinity, omp_capture_affinity);
TEFF_FORWARD_TO(ompc_display_affinity, omp_display_affinity);
TEFF_FORWARD_TO(ompc_get_affinity_format, omp_get_affinity_format);
TEFF_FORWARD_TO(ompc_get_ancestor_thread_num, omp_get_ancestor_thread_num);
TEFF_FORWARD_TO(ompc_get_team_size, omp_get_team_size);
TEFF_FORWARD_TO(ompc_set_affinity_format, omp_set_affinity_format);
TEFF_FORWARD_TO(ompc_set_dynamic, omp_set_dynamic);
TEFF_FORWARD_TO(ompc_set_max_active_levels, omp_set_max_active_levels);
TEFF_FORWARD_TO(ompc_set_nested, omp_set_nested);
TEFF_FORWARD_TO(ompc_set_num_threads, omp_set_num_threads);
TEFF_FORWARD_TO(ompc_set_schedule, omp_set_schedule);
