// SPDX-License-Identifier: Apache-2.0
//
// A program with its own tool, which sets no callbacks but asks every entry point, in each kind of
// place, and compares the answers with those of the OpenMP routines. Each wrong answer is a line on
// stderr and counts in the exit status. With the argument "bound", the environment binds each
// thread to one processor.

#define _GNU_SOURCE
#include <omp-tools.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int faults;
static int bound;
static int initial_device;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __func__, __LINE__, #condition);                                            \
            __atomic_fetch_add(&faults, 1, __ATOMIC_RELAXED);                                                          \
        }                                                                                                              \
    } while (0)

#define ENTRY_POINTS(with)                                                                                             \
    with(enumerate_states) with(enumerate_mutex_impls) with(set_callback) with(get_callback) with(get_thread_data)     \
        with(get_num_procs) with(get_num_places) with(get_place_proc_ids) with(get_place_num)                          \
            with(get_partition_place_nums) with(get_proc_id) with(get_state) with(get_parallel_info)                   \
                with(get_task_info) with(get_task_memory) with(get_target_info) with(get_num_devices)                  \
                    with(get_unique_id) with(finalize_tool)

#define DECLARE(name) static ompt_##name##_t name;
ENTRY_POINTS(DECLARE)

static int initialize(ompt_function_lookup_t lookup, int initial_device_num, ompt_data_t* tool_data) {
    (void)tool_data;
#define FIND(name)                                                                                                     \
    name = (ompt_##name##_t)lookup("ompt_" #name);                                                                     \
    if (!name) fprintf(stderr, "no ompt_" #name "\n"), exit(99);
    ENTRY_POINTS(FIND)
    CHECK(lookup("ompt_nonsense") == NULL);
    CHECK(lookup("") == NULL);
    CHECK(lookup("ompt_get_stat") == NULL && lookup("ompt_get_states") == NULL);
    initial_device = initial_device_num;
    return 1;
}

static void finalize(ompt_data_t* tool_data) { (void)tool_data; }

ompt_start_tool_result_t* ompt_start_tool(unsigned omp_version, const char* runtime_version) {
    static ompt_start_tool_result_t result = {initialize, finalize, ompt_data_none};
    return omp_version && runtime_version ? &result : NULL;
}

// ---- Enumerations
// ------------------------------------------------------------------------------------------------------

static const char* states[0x1000];

static void ask_states(void) {
    int state = ompt_state_undefined, count = 0;
    const char* name = NULL;
    while (enumerate_states(state, &state, &name)) {
        CHECK(state >= 0 && state < 0x1000 && name && *name);
        CHECK(!states[state]);
        states[state] = name;
        if (++count > 100) exit(98);
    }
    CHECK(states[ompt_state_work_serial] && !strcmp(states[ompt_state_work_serial], "ompt_state_work_serial"));
    CHECK(states[ompt_state_work_parallel] && states[ompt_state_idle] && states[ompt_state_wait_taskwait]);
    CHECK(states[ompt_state_wait_critical] && states[ompt_state_wait_barrier_implicit_parallel]);
    CHECK(!enumerate_states(0xfff, &state, &name));
}

static void ask_mutex_impls(void) {
    int impl = ompt_mutex_impl_none, count = 0;
    const char* name = NULL;
    while (enumerate_mutex_impls(impl, &impl, &name)) {
        CHECK(impl != ompt_mutex_impl_none && name && *name);
        if (++count > 100) exit(98);
    }
    CHECK(count > 0);
}

// ---- Callbacks
// ---------------------------------------------------------------------------------------------------------

static void nothing(void) {}

static void ask_callbacks(void) {
    for (int event = ompt_callback_thread_begin; event <= ompt_callback_error; ++event) {
        ompt_callback_t set = NULL;
        CHECK(get_callback((ompt_callbacks_t)event, &set) == 0);
        ompt_set_result_t result = set_callback((ompt_callbacks_t)event, nothing);
        CHECK(result >= ompt_set_never && result <= ompt_set_always);
        int may_come = result >= ompt_set_sometimes;
        CHECK(get_callback((ompt_callbacks_t)event, &set) == may_come && (!may_come || set == nothing));
        CHECK(set_callback((ompt_callbacks_t)event, NULL) != ompt_set_error);
        CHECK(get_callback((ompt_callbacks_t)event, &set) == 0);
    }
    CHECK(set_callback((ompt_callbacks_t)0, nothing) == ompt_set_error);
    CHECK(set_callback((ompt_callbacks_t)1000, nothing) == ompt_set_error);
    CHECK(set_callback((ompt_callbacks_t)-1, nothing) == ompt_set_error);
}

// ---- Places
// ------------------------------------------------------------------------------------------------------------

static void ask_places(void) {
    int places = omp_get_num_places(), numbers[64], omp_numbers[64];
    CHECK(get_num_procs() == omp_get_num_procs());
    CHECK(get_num_places() == places);
    CHECK(get_place_num() == omp_get_place_num());
    CHECK(get_proc_id() >= 0);
    if (bound) CHECK(get_proc_id() == sched_getcpu());
    for (int place = 0; place < places && place < 8; ++place) {
        int ids[1024], omp_ids[1024], count = omp_get_place_num_procs(place);
        CHECK(get_place_proc_ids(place, 1024, ids) == count);
        omp_get_place_proc_ids(place, omp_ids);
        CHECK(!memcmp(ids, omp_ids, (size_t)count * sizeof *ids));
        ids[0] = -7;
        CHECK(get_place_proc_ids(place, 0, ids) == count && ids[0] == -7);
    }
    CHECK(get_place_proc_ids(-1, 64, numbers) == 0);
    CHECK(get_place_proc_ids(places, 64, numbers) == 0);
    int partition = omp_get_partition_num_places();
    if (partition <= 64) {
        CHECK(get_partition_place_nums(64, numbers) == partition);
        omp_get_partition_place_nums(omp_numbers);
        CHECK(!memcmp(numbers, omp_numbers, (size_t)partition * sizeof *numbers));
    }
}

// ---- Where the thread is
// -----------------------------------------------------------------------------------------------

static int depth_of_tasks(void) {
    int depth = 0;
    while (get_task_info(depth, NULL, NULL, NULL, NULL, NULL))
        ++depth;
    return depth;
}

static void ask_where(int tasks_above, int state) {
    ompt_wait_id_t wait_id = 0;
    ompt_data_t *task = NULL, *parallel = NULL, *same = NULL;
    ompt_frame_t* frame = NULL;
    int flags = 0, thread_num = -1, size = -1, level = omp_get_level();
    CHECK(get_state(&wait_id) == state);
    CHECK(get_state(NULL) == state);
    CHECK(get_thread_data() != NULL);
    CHECK(get_task_info(0, &flags, &task, &frame, &parallel, &thread_num) == 2);
    CHECK(task && frame && parallel && thread_num == omp_get_thread_num());
    CHECK(get_parallel_info(0, &same, &size) == 2 && same == parallel && size == omp_get_num_threads());
    CHECK(get_parallel_info(0, NULL, NULL) == 2);
    CHECK(depth_of_tasks() == level + 1 + tasks_above);
    CHECK(get_task_info(level + tasks_above, &flags, NULL, NULL, NULL, NULL) == 2 &&
          (flags & 0xff) == ompt_task_initial);
    for (int above = 0; above <= level; ++above)
        CHECK(get_parallel_info(above, NULL, &size) == 2 && size == omp_get_team_size(level - above));
    CHECK(get_parallel_info(level + 1, NULL, &size) == 0);
    CHECK(get_parallel_info(-1, NULL, &size) == 0);
    CHECK(get_task_info(-1, &flags, &task, &frame, &parallel, &thread_num) == 0);
    CHECK(get_task_info(1000, &flags, &task, &frame, &parallel, &thread_num) == 0);
    void* block = NULL;
    size_t bytes = 0;
    for (int number = 0; get_task_memory(&block, &bytes, number) && number < 100; ++number)
        CHECK(block && bytes);
}

static void ask_devices(void) {
    uint64_t device = 0;
    ompt_id_t target = 0, operation = 0;
    CHECK(initial_device == omp_get_initial_device() || initial_device == 0);
    CHECK(get_target_info(&device, &target, &operation) == 0);
    CHECK(get_num_devices() == omp_get_num_devices() || get_num_devices() == 1);
}

enum { IDS = 50, MOST_THREADS = 16 };
static uint64_t ids[MOST_THREADS][IDS];

static void check_unique_ids(int threads) {
    for (int a = 0; a < threads * IDS; ++a) {
        CHECK((&ids[0][0])[a] != 0);
        for (int b = 0; b < a; ++b)
            CHECK((&ids[0][0])[a] != (&ids[0][0])[b]);
    }
}

// A thread that OpenMP does not know.
static void* ask_elsewhere(void* unused) {
    ompt_wait_id_t wait_id = 0;
    ompt_data_t *task = NULL, *parallel = NULL;
    ompt_frame_t* frame = NULL;
    int flags = 0, number = 0;
    CHECK(get_thread_data() == NULL);
    CHECK(get_task_info(0, &flags, &task, &frame, &parallel, &number) == 0);
    CHECK(get_parallel_info(0, &parallel, &number) == 0);
    CHECK(get_proc_id() == -1);
    int state = get_state(&wait_id);
    CHECK(state == ompt_state_undefined || state < 0);
    return unused;
}

static void ask_in_regions(void) {
    ompt_data_t* data[MOST_THREADS] = {NULL};
    int threads = 0;
#pragma omp parallel
    {
        int number = omp_get_thread_num();
        if (number == 0) threads = omp_get_num_threads();
        ask_where(0, ompt_state_work_parallel);
        ask_places();
        data[number] = get_thread_data();
        for (int i = 0; i < IDS; ++i)
            ids[number][i] = get_unique_id();
#pragma omp task if (0)
        {
            int flags = 0;
            ask_where(1, ompt_state_work_parallel);
            CHECK(get_task_info(0, &flags, NULL, NULL, NULL, NULL) == 2 && flags & ompt_task_explicit &&
                  flags & ompt_task_undeferred);
        }
#pragma omp parallel num_threads(2)
        ask_where(0, ompt_state_work_parallel);
        CHECK(get_thread_data() == data[number]);
    }
    for (int a = 0; a < threads; ++a)
        for (int b = 0; b < a; ++b)
            CHECK(data[a] != data[b]);
    check_unique_ids(threads);
}

int main(int count, char** words) {
    bound = count > 1 && !strcmp(words[1], "bound");
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(1)
    {
    } // the runtime starts its tool no later than here
    if (!get_state) return 97;
    ask_states();
    ask_mutex_impls();
    ask_callbacks();
    ask_places();
    ask_where(0, ompt_state_work_serial);
    ask_devices();
    ask_in_regions();
    pthread_t thread;
    if (pthread_create(&thread, NULL, ask_elsewhere, NULL)) return 96;
    pthread_join(thread, NULL);
    return faults ? 1 : 0;
}
