// SPDX-License-Identifier: Apache-2.0
// Calls functions of libomp's interface in ways that no compiler in the tests emits: locks with a
// hint, the first layout of task reductions, distributed loops in one call, lists of numbers of
// threads, schedules for vectors, dependences on all memory, tasks without code.

#include <omp.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    void* shared;
    size_t bytes;
    void (*initialise)(void* copy);
    void (*finish)(void* copy);
    void (*combine)(void* into, void* copy);
    int32_t flags;
} OldInput;

typedef struct {
    void *shared, *original;
    size_t bytes;
    void (*initialise)(void* copy, void* original);
    void (*finish)(void* copy);
    void (*combine)(void* into, void* copy);
    int32_t flags; // 1: lazy
} Input;

int32_t __kmpc_global_thread_num(void*);
void __kmpc_init_lock_with_hint(void*, int32_t, void* lock, uint64_t hint);
void __kmpc_destroy_lock(void*, int32_t, void* lock);
void __kmpc_set_lock(void*, int32_t, void* lock);
void __kmpc_unset_lock(void*, int32_t, void* lock);
int32_t __kmpc_test_lock(void*, int32_t, void* lock);
void __kmpc_init_nest_lock(void*, int32_t, void* lock);
void __kmpc_destroy_nest_lock(void*, int32_t, void* lock);
void __kmpc_set_nest_lock(void*, int32_t, void* lock);
void __kmpc_unset_nest_lock(void*, int32_t, void* lock);
int32_t __kmpc_test_nest_lock(void*, int32_t, void* lock);
void* __kmpc_taskred_modifier_init(void*, int32_t, int32_t is_loop, int32_t count, void* inputs);
void __kmpc_task_reduction_modifier_fini(void*, int32_t, int32_t is_loop);
void __kmpc_taskgroup(void*, int32_t);
void __kmpc_end_taskgroup(void*, int32_t);
void* __kmpc_task_reduction_init(int32_t, int32_t count, void* inputs);
void* __kmpc_task_reduction_get_th_data(int32_t, void* group, void* data);
void __kmpc_dist_dispatch_init_4(void*, int32_t, int32_t schedule, int32_t* last, int32_t low, int32_t up, int32_t step,
                                 int32_t chunk);
int32_t __kmpc_dispatch_next_4(void*, int32_t, int32_t* last, int32_t* low, int32_t* up, int32_t* stride);
void __kmpc_team_static_init_4(void*, int32_t, int32_t* last, int32_t* low, int32_t* up, int32_t* stride, int32_t step,
                               int32_t chunk);
void __kmpc_push_num_threads_list(void*, int32_t, uint32_t count, const int32_t* threads);
void __kmpc_fork_call(void*, int32_t count, void (*code)(int32_t*, int32_t*, int*), ...);
typedef struct {
    void* address;
    size_t bytes;
    unsigned char kind;
} DependInfo;
typedef struct Task {
    void* shareds;
    int32_t (*entry)(int32_t thread, struct Task*);
    int32_t part;
    void *data_1, *data_2;
} Task;
Task* __kmpc_omp_task_alloc(void*, int32_t, int32_t flags, size_t bytes, size_t shared_bytes,
                            int32_t (*entry)(int32_t, Task*));
int32_t __kmpc_omp_task_with_deps(void*, int32_t, Task*, int32_t count, DependInfo*, int32_t, DependInfo*);
void __kmpc_taskloop(void*, int32_t, Task*, int32_t if_value, uint64_t* low, uint64_t* up, int64_t step,
                     int32_t nogroup, int32_t schedule, uint64_t size, void* duplicate);
void __kmpc_push_num_teams_51(void*, int32_t, int32_t lower, int32_t upper, int32_t limit);
void __kmpc_fork_teams(void*, int32_t count, void (*code)(int32_t*, int32_t*, int*), ...);
void __kmpc_set_thread_limit(void*, int32_t, int32_t limit);
void __kmpc_dispatch_init_4(void*, int32_t, int32_t schedule, int32_t low, int32_t up, int32_t step, int32_t chunk);
void __kmpc_for_static_init_4(void*, int32_t, int32_t schedule, int32_t* last, int32_t* low, int32_t* up,
                              int32_t* stride, int32_t step, int32_t chunk);
extern const uintptr_t omp_default_mem_alloc_of_library __asm__("omp_default_mem_alloc");

#define ME __kmpc_global_thread_num(NULL)

static void check(int good, const char* what) {
    if (good) return;
    fprintf(stderr, "wrong: %s\n", what);
    exit(1);
}

static void locks(void) {
    uint64_t lock = ~0ull, nest_lock = ~0ull;
    int count = 0, depth = 0;
    __kmpc_init_lock_with_hint(NULL, ME, &lock, 2);
    __kmpc_init_nest_lock(NULL, ME, &nest_lock);
#pragma omp parallel num_threads(4)
    for (int i = 0; i < 500; i++) {
        __kmpc_set_lock(NULL, ME, &lock);
        count++;
        __kmpc_unset_lock(NULL, ME, &lock);
        __kmpc_set_nest_lock(NULL, ME, &nest_lock);
        depth += __kmpc_test_nest_lock(NULL, ME, &nest_lock);
        __kmpc_unset_nest_lock(NULL, ME, &nest_lock);
        __kmpc_unset_nest_lock(NULL, ME, &nest_lock);
    }
    check(count == 2000, "a lock");
    check(depth == 4000, "a nest lock's depth");
    check(__kmpc_test_lock(NULL, ME, &lock) && !__kmpc_test_lock(NULL, ME, &lock), "test_lock");
    __kmpc_unset_lock(NULL, ME, &lock);
    __kmpc_destroy_lock(NULL, ME, &lock);
    __kmpc_destroy_nest_lock(NULL, ME, &nest_lock);
}

static void start_at_0(void* copy) { *(long*)copy = 0; }
static void combine(void* into, void* copy) { *(long*)into += *(long*)copy; }

static void old_reduction(void) {
    long sum = 1000;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        OldInput input = {&sum, sizeof sum, start_at_0, NULL, combine, 0};
        __kmpc_taskgroup(NULL, ME);
        void* group = __kmpc_task_reduction_init(ME, 1, &input);
        for (int i = 1; i <= 100; i++)
#pragma omp task firstprivate(i) shared(sum)
            *(long*)__kmpc_task_reduction_get_th_data(ME, group, &sum) += i;
        __kmpc_end_taskgroup(NULL, ME);
    }
    check(sum == 6050, "a task reduction of the first layout");
}

// Only member 0, which comes first, says that its item is lazy, and it creates no task.
static void mixed_reduction(void) {
    enum { kMembers = 4 };
    static int came;
    long sum = 0;
#pragma omp parallel num_threads(kMembers) reduction(+ : sum)
    {
        const int is_first = omp_get_thread_num() == 0;
        Input input = {&sum, NULL, sizeof sum, NULL, NULL, combine, is_first};
        while (!is_first && __atomic_load_n(&came, __ATOMIC_ACQUIRE) == 0)
            sched_yield();
        void* group = __kmpc_taskred_modifier_init(NULL, ME, 0, 1, &input);
        __atomic_store_n(&came, 1, __ATOMIC_RELEASE);
        for (int i = 0; i < 10 && !is_first; i++)
#pragma omp task shared(sum) firstprivate(group)
            *(long*)__kmpc_task_reduction_get_th_data(ME, group, &sum) += 1;
        __kmpc_task_reduction_modifier_fini(NULL, ME, 0);
    }
    check(sum == 10 * (kMembers - 1), "a task reduction that is lazy for one member");
}

static void distributed_loops(void) {
    int seen[100] = {0}, lasts = 0;
#pragma omp parallel num_threads(4)
    {
        int32_t last = 0, low, up, stride;
        __kmpc_dist_dispatch_init_4(NULL, ME, 35, &last, 0, 99, 1, 7);
        while (__kmpc_dispatch_next_4(NULL, ME, &last, &low, &up, &stride)) {
            for (int i = low; i <= up; i++)
                seen[i]++;
            if (last) {
#pragma omp atomic
                lasts++;
            }
        }
    }
    for (int i = 0; i < 100; i++)
        check(seen[i] == 1, "dist_dispatch_init");
    check(lasts == 1, "dist_dispatch_init's last chunk");
    int32_t last = 0, low = 0, up = 99, stride = 0;
    __kmpc_team_static_init_4(NULL, ME, &last, &low, &up, &stride, 1, 30);
    check(low == 0 && up == 99 && last == 1, "team_static_init of one team");
}

static void note_size(int32_t* thread, int32_t* member, int* size) {
    (void)thread, (void)member;
    if (omp_get_thread_num() == 0) *size = omp_get_num_threads();
}

static void lists_of_threads(void) {
    int size = 0;
    const int32_t threads[] = {3, 2};
    __kmpc_push_num_threads_list(NULL, ME, 2, threads);
    __kmpc_fork_call(NULL, 1, note_size, &size);
    check(size == 3, "push_num_threads_list");
}

static void count_teams(int32_t* thread, int32_t* member, int* count) {
    (void)thread, (void)member;
    if (omp_get_team_num() == 0) *count = omp_get_num_teams();
}

static void teams_and_limits(void) {
    int count = 0, limit = 0, size = 0;
    __kmpc_push_num_teams_51(NULL, ME, 0, 3, 0);
    __kmpc_fork_teams(NULL, 1, count_teams, &count);
    check(count == 3, "push_num_teams_51 without a lower bound");
#pragma omp task if (0) shared(limit, size)
    {
        __kmpc_set_thread_limit(NULL, ME, 2);
        limit = omp_get_thread_limit();
#pragma omp parallel num_threads(4)
#pragma omp single
        size = omp_get_num_threads();
    }
    check(limit == 2 && size <= 2, "set_thread_limit");
    check(omp_get_thread_limit() > 2, "a limit outside its task");
}

// Iterations of the calling thread, by a schedule that deals out vectors of 4.
static void loops_of_vectors(void) {
    enum { kStaticBalanced = 45, kGuidedSimd = 46, kRuntimeSimd = 47 };
    omp_set_schedule(omp_sched_dynamic, 2);
    for (int schedule = kStaticBalanced; schedule <= kRuntimeSimd; schedule++) {
        int seen[27] = {0}, uneven = 0;
#pragma omp parallel num_threads(3)
        {
            int32_t last, low, up, stride;
            __kmpc_dispatch_init_4(NULL, ME, schedule, 0, 26, 1, 4);
            while (__kmpc_dispatch_next_4(NULL, ME, &last, &low, &up, &stride)) {
                for (int i = low; i <= up; i++)
                    __atomic_fetch_add(&seen[i], 1, __ATOMIC_RELAXED);
                if (low % 4 != 0) __atomic_fetch_add(&uneven, 1, __ATOMIC_RELAXED);
                if (schedule == kStaticBalanced && up - low + 1 > 12) __atomic_fetch_add(&uneven, 1, __ATOMIC_RELAXED);
                if (schedule == kRuntimeSimd && up - low + 1 > 8) __atomic_fetch_add(&uneven, 1, __ATOMIC_RELAXED);
            }
        }
        for (int i = 0; i < 27; i++)
            check(seen[i] == 1, "a loop in vectors");
        check(uneven == 0, "a chunk of whole vectors");
    }
    omp_set_schedule(omp_sched_guided, 2); // vectors
    int uneven = 0;
#pragma omp parallel num_threads(3)
    {
        int32_t last, low, up, stride;
        __kmpc_dispatch_init_4(NULL, ME, kRuntimeSimd, 0, 996, 1, 4);
        while (__kmpc_dispatch_next_4(NULL, ME, &last, &low, &up, &stride))
            if (low % 8 != 0 || ((up + 1) % 8 != 0 && up != 996)) __atomic_fetch_add(&uneven, 1, __ATOMIC_RELAXED);
    }
    check(uneven == 0, "a guided chunk of whole vectors");
    int sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
    {
        int32_t last = 0, low = 0, up = 26, stride = 0;
        __kmpc_for_static_init_4(NULL, ME, kStaticBalanced, &last, &low, &up, &stride, 1, 4);
        check(low == 12 * omp_get_thread_num(), "the lower bound of a balanced block");
        for (int i = low; i <= up && i <= 26; i++)
            sum += i;
    }
    check(sum == 351, "a balanced static loop");
}

// A member alone takes a loop whole where the schedule promises no smaller pieces.
static void loops_of_one_member(void) {
    static const int32_t kinds[] = {33, 34, 35 | 1 << 30, 36, 38, 65, 66}; // static, dynamic, guided, auto, ordered
    static const int32_t loops[][4] = {{0, 9, 1, 10}, {9, 0, -1, 10},
                                       {-7, 8, 3, 6}, {INT32_MAX, INT32_MIN, INT32_MIN, 2},
                                       {5, 4, 1, 0},  {4, 5, -1, 0}};
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
            const int32_t low = loops[i][0], up = loops[i][1], step = loops[i][2], count = loops[i][3];
            int32_t last = 0, first = 1, bound = 0, stride = 0, chunks = 0;
            __kmpc_dispatch_init_4(NULL, ME, kinds[kind], low, up, step, 2);
            for (; __kmpc_dispatch_next_4(NULL, ME, &last, &first, &bound, &stride); chunks++)
                check(first == low && bound <= (up > low ? up : low) && last && stride == step,
                      "a whole loop's values");
            check(chunks == (count != 0), "a whole loop is one chunk");
            int32_t from = low, to = up;
            __kmpc_for_static_init_4(NULL, ME, 34, &last, &from, &to, &stride, step, 1);
            check(last == (count != 0), "the last iteration of a member's static loop");
            check(count != 0 ? from == low : step > 0 ? from > to : from < to, "the bounds of a member's static loop");
        }
}

static int done, seen_done;

static int32_t read_done(int32_t thread, Task* task) {
    (void)thread, (void)task;
    seen_done = done;
    return 0;
}

static void dependences(void) {
    enum { kTied = 1, kIn = 1, kOut = 2 };
    int place = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        for (int i = 0; i < 20; i++)
#pragma omp task depend(in : place)
        {
            for (volatile int k = 0; k < 20000; k++) {
            }
            __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
        }
        DependInfo all = {(void*)-1, 0, kOut}, in = {&place, 0, kIn};
        __kmpc_omp_task_with_deps(NULL, ME, __kmpc_omp_task_alloc(NULL, ME, kTied, sizeof(Task), 0, NULL), 1, &in, 0,
                                  NULL);
        __kmpc_omp_task_with_deps(NULL, ME, __kmpc_omp_task_alloc(NULL, ME, kTied, sizeof(Task), 0, read_done), 1, &all,
                                  0, NULL);
    }
    check(seen_done == 20, "a dependence on all memory");
}

static int32_t take_time(int32_t thread, Task* task) {
    (void)thread, (void)task;
    for (volatile int k = 0; k < 2000000; k++) {
    }
    __atomic_store_n(&done, 100, __ATOMIC_RELAXED);
    return 0;
}

// The items of a task's second list have addresses that its first list does not have.
static void two_lists_of_items(void) {
    enum { kTied = 1, kIn = 1, kInout = 3 };
    int one = 0, other = 0;
    done = seen_done = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        DependInfo first = {&one, 0, kIn}, second = {&other, 0, kInout};
        __kmpc_omp_task_with_deps(NULL, ME, __kmpc_omp_task_alloc(NULL, ME, kTied, sizeof(Task), 0, take_time), 1,
                                  &second, 0, NULL);
        __kmpc_omp_task_with_deps(NULL, ME, __kmpc_omp_task_alloc(NULL, ME, kTied, sizeof(Task), 0, read_done), 1,
                                  &first, 1, &second);
    }
    check(seen_done == 100, "a dependence of the second list");
}

typedef struct {
    Task task;
    uint64_t low, up;
    int64_t step;
    int32_t is_last;
} LoopTask;

static uint64_t iterations_of_tasks;

static int32_t count_iterations(int32_t thread, Task* task) {
    (void)thread;
    const LoopTask* const part = (const LoopTask*)task;
    __atomic_fetch_add(&iterations_of_tasks, part->up - part->low + 1, __ATOMIC_RELAXED);
    return 0;
}

static void long_loop_of_tasks(void) {
    enum { kTied = 1, kNumTasks = 2, kTasks = 4 };
    const uint64_t count = (UINT64_C(1) << 63) + 5;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        Task* const pattern = __kmpc_omp_task_alloc(NULL, ME, kTied, sizeof(LoopTask), 0, count_iterations);
        LoopTask* const loop = (LoopTask*)pattern;
        loop->low = 0;
        loop->up = count - 1;
        loop->step = 1;
        __kmpc_taskloop(NULL, ME, pattern, 1, &loop->low, &loop->up, 1, 0, kNumTasks, kTasks, NULL);
    }
    check(iterations_of_tasks == count, "a taskloop of more than 2^63 iterations");
}

int main(void) {
    teams_and_limits();
    loops_of_vectors();
    loops_of_one_member();
    dependences();
    two_lists_of_items();
    long_loop_of_tasks();
    locks();
    old_reduction();
    mixed_reduction();
    distributed_loops();
    lists_of_threads();
    check(omp_default_mem_alloc_of_library == (uintptr_t)omp_default_mem_alloc, "an allocator's constant");
    printf("ok\n");
    return 0;
}
