// SPDX-License-Identifier: Apache-2.0
// Calls the one routine, or enters the one lock, that its argument names. "names" prints all names.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static omp_lock_t lock;
static omp_nest_lock_t nest_lock;
static int a_number;
static char text[200];
static size_t sizes[1] = {1};
static omp_sched_t kind;

#define ROUTINES(with)                                                                                                 \
    with(omp_get_thread_num, ()) with(omp_get_num_threads, ()) with(omp_get_max_threads, ())                           \
    with(omp_get_num_procs, ()) with(omp_in_parallel, ()) with(omp_get_dynamic, ()) with(omp_get_nested, ())           \
    with(omp_get_cancellation, ()) with(omp_get_thread_limit, ()) with(omp_get_max_active_levels, ())                  \
    with(omp_get_supported_active_levels, ()) with(omp_get_level, ()) with(omp_get_active_level, ())                   \
    with(omp_get_ancestor_thread_num, (0)) with(omp_get_team_size, (0)) with(omp_in_final, ())                         \
    with(omp_get_proc_bind, ()) with(omp_get_num_places, ()) with(omp_get_place_num_procs, (0))                        \
    with(omp_get_place_proc_ids, (0, &a_number)) with(omp_get_place_num, ())                                           \
    with(omp_get_partition_num_places, ()) with(omp_get_partition_place_nums, (&a_number))                             \
    with(omp_set_affinity_format, ("%n")) with(omp_get_affinity_format, (text, sizeof text))                           \
    with(omp_display_affinity, ("")) with(omp_capture_affinity, (text, sizeof text, ""))                               \
    with(omp_get_default_device, ()) with(omp_get_num_devices, ()) with(omp_get_num_teams, ())                         \
    with(omp_get_team_num, ()) with(omp_is_initial_device, ()) with(omp_get_initial_device, ())                        \
    with(omp_get_device_num, ()) with(omp_get_max_task_priority, ()) with(omp_get_wtime, ()) with(omp_get_wtick, ())   \
    with(omp_get_schedule, (&kind, &a_number)) with(omp_set_num_threads, (2)) with(omp_set_dynamic, (0))               \
    with(omp_set_nested, (0)) with(omp_set_max_active_levels, (1)) with(omp_set_schedule, (omp_sched_static, 1))       \
    with(omp_set_default_device, (0)) with(omp_set_num_teams, (1)) with(omp_get_max_teams, ())                         \
    with(omp_set_teams_thread_limit, (1)) with(omp_get_teams_thread_limit, ()) with(omp_get_default_allocator, ())     \
    with(omp_set_default_allocator, (omp_default_mem_alloc)) with(omp_alloc, (8, omp_default_mem_alloc))               \
    with(omp_aligned_alloc, (64, 64, omp_default_mem_alloc)) with(omp_calloc, (1, 8, omp_default_mem_alloc))           \
    with(omp_init_allocator, (omp_default_mem_space, 0, NULL)) with(omp_pause_resource_all, (omp_pause_soft))          \
    with(omp_pause_resource, (omp_pause_soft, 0)) with(omp_target_alloc, (8, 0)) with(omp_target_is_present, (text, 0))\
    with(omp_target_memcpy, (text, text + 8, 8, 0, 0, 0, 0)) with(omp_target_free, (NULL, 0))                          \
    with(omp_target_memcpy_rect, (text, text + 8, 1, 1, sizes, sizes, sizes, sizes, sizes, 0, 0))                      \
    with(omp_target_associate_ptr, (text, text, 1, 0, 0)) with(omp_target_disassociate_ptr, (text, 0))                 \
    with(omp_init_lock, (&lock)) with(omp_init_nest_lock, (&nest_lock))            \
    with(omp_test_lock, (&lock)) with(omp_test_nest_lock, (&nest_lock)) with(omp_set_lock, (&lock))                    \
    with(omp_set_nest_lock, (&nest_lock))

static void critical(void) {
#pragma omp critical
    ++a_number;
}

static void named_critical(void) {
#pragma omp critical(name)
    ++a_number;
}

static void region(void) {
#pragma omp parallel num_threads(1)
    ++a_number;
}

static void task(void) {
#pragma omp task
    ++a_number;
}

#define CONSTRUCTS(with) with(critical, ()) with(named_critical, ()) with(region, ()) with(task, ())

#define NAME(name, arguments) puts(#name);
#define CALL(name, arguments)                                                                                          \
    if (!strcmp(wanted, #name)) return (void)name arguments, 1;

static int call(const char* wanted) {
    ROUTINES(CALL)
    CONSTRUCTS(CALL)
    return 0;
}

int main(int count, char** words) {
    if (count < 2) return 2;
    if (!strcmp(words[1], "names")) {
        ROUTINES(NAME)
        CONSTRUCTS(NAME)
        return 0;
    }
    return call(words[1]) ? 0 : 3;
}
