// SPDX-License-Identifier: Apache-2.0
// Calls functions of libomp's interface that no compiler in the tests emits: locks with a hint, the
// first layout of task reductions, distributed loops in one call, lists of numbers of threads.

#include <omp.h>
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
void __kmpc_error(void*, int32_t severity, const char* text);
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
    check(low == 0 && up == 29 && stride == 30 && last == 1, "team_static_init of one team");
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

int main(void) {
    locks();
    old_reduction();
    distributed_loops();
    lists_of_threads();
    check(omp_default_mem_alloc_of_library == (uintptr_t)omp_default_mem_alloc, "an allocator's constant");
    printf("ok\n");
    return 0;
}
