// SPDX-License-Identifier: Apache-2.0
// Constructs at the edge of what Clang's interface expresses: chunks larger than their loop, task
// reductions of arrays whose size is known at run time, undeferred tasks whose event is fulfilled
// later, a reduction within another one's combination, stacks whose size the program sets.

#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(int good, const char* what) {
    if (good) return;
    fprintf(stderr, "wrong: %s\n", what);
    exit(1);
}

static void large_chunks(void) {
    long sum = 0;
#pragma omp parallel for schedule(static, 1 << 29) reduction(+ : sum)
    for (int i = 0; i < 100; i++)
        sum += i;
    check(sum == 4950, "a chunk of 2^29 iterations");
    sum = 0;
#pragma omp parallel for schedule(static, INT64_MAX) reduction(+ : sum)
    for (int64_t i = 0; i < 100; i++)
        sum += i;
    check(sum == 4950, "a chunk of 2^63 - 1 iterations");
    sum = 0;
#pragma omp teams num_teams(2) reduction(+ : sum)
#pragma omp distribute parallel for dist_schedule(static, 1 << 29) reduction(+ : sum)
    for (int i = 0; i < 100; i++)
        sum += i;
    check(sum == 4950, "a team's chunk of 2^29 iterations");
}

// Clang keeps the array's length for the combination in a variable of each thread, which the thread
// sets when it runs one of the tasks. A thread that combines what others have run has none. So the
// master, which combines here, first runs all tasks alone.
static void arrays(int count, int threads) {
    int product[count];
    for (int i = 0; i < count; i++)
        product[i] = 1;
#pragma omp parallel num_threads(threads)
#pragma omp masked
#pragma omp taskgroup task_reduction(* : product)
    for (int t = 0; t < 3; t++)
#pragma omp task in_reduction(* : product)
        for (int i = 0; i < count; i++)
            product[i] *= 2;
    for (int i = 0; i < count; i++)
        check(product[i] == 8, "a task reduction of an array");
#pragma omp parallel num_threads(threads)
#pragma omp masked
#pragma omp taskloop reduction(* : product[0 : count]) num_tasks(4)
    for (int t = 0; t < 4; t++)
        for (int i = 0; i < count; i++)
            product[i] *= 2;
    for (int i = 0; i < count; i++)
        check(product[i] == 128, "a taskloop's reduction of an array");
}

// The creator of an undeferred task waits for its body. So it may fulfil the event afterwards.
static void undeferred_with_event(void) {
#pragma omp parallel
#pragma omp single
    {
        omp_event_handle_t event;
        int begun = 0, later = 0;
#pragma omp task detach(event) if (0) shared(begun)
        begun = 1;
        check(begun, "an undeferred task's body");
        omp_fulfill_event(event);
#pragma omp taskwait
#pragma omp task final(1) shared(begun, later)
        {
            omp_event_handle_t of_included;
#pragma omp task detach(of_included) shared(begun)
            begun = 2;
            later = begun == 2;
            omp_fulfill_event(of_included);
        }
#pragma omp taskwait
        check(later, "an included task's body");
    }
}

static int fulfilled;

static void* fulfil(void* event) {
    for (volatile int k = 0; k < 1000000; k++) {
    }
    __atomic_store_n(&fulfilled, 1, __ATOMIC_RELAXED);
    omp_fulfill_event((omp_event_handle_t)(uintptr_t)event);
    return NULL;
}

// A taskwait waits for the event, also outside of regions.
static void undeferred_that_ends_later(void) {
    omp_event_handle_t event;
    pthread_t thread;
#pragma omp task detach(event) if (0) shared(thread)
    pthread_create(&thread, NULL, fulfil, (void*)(uintptr_t)event);
#pragma omp taskwait
    check(__atomic_load_n(&fulfilled, __ATOMIC_RELAXED), "an undeferred task's event");
    pthread_join(thread, NULL);
}

static int add(int a, int b) {
    int sum = 0;
#pragma omp parallel num_threads(1) reduction(+ : sum)
    sum += a + b;
    return sum;
}
#pragma omp declare reduction(added : int : omp_out = add(omp_out, omp_in)) initializer(omp_priv = 0)

static void reduction_in_a_combiner(void) {
    int sum = 0;
#pragma omp parallel reduction(added : sum)
    sum += 1 + omp_get_thread_num();
    const int threads = omp_get_max_threads();
    check(sum == threads * (threads + 1) / 2, "a reduction within a combiner");
}

static int deep(int calls) {
    volatile char frame[1024];
    memset((char*)frame, calls, sizeof frame);
    return calls == 0 ? 1 : deep(calls - 1) + (frame[17] == 99 && frame[18] != 99);
}

static void stacks(void) {
    int sum = 0;
#pragma omp parallel reduction(+ : sum)
    if (omp_get_thread_num() > 0) sum += deep(20000);
    check(sum == omp_get_max_threads() - 1, "deep calls");
}

// Without OMP_SCHEDULE, each thread gets one block.
static void schedule_by_default(void) {
    omp_sched_t kind;
    int chunk, blocks = 0;
    omp_get_schedule(&kind, &chunk);
    check(kind == omp_sched_static && chunk == 0, "the default schedule");
#pragma omp parallel reduction(+ : blocks)
    {
        int before = -2;
#pragma omp for schedule(runtime)
        for (int i = 0; i < 1000; i++) {
            blocks += i != before + 1;
            before = i;
        }
    }
    check(blocks == omp_get_max_threads(), "blocks of the default schedule");
    omp_set_schedule(omp_sched_dynamic, 1);
    omp_get_schedule(&kind, &chunk);
    check(kind == omp_sched_dynamic && chunk == 1, "a schedule that the program sets");
    const omp_sched_t monotonic = (omp_sched_t)(omp_sched_static | omp_sched_monotonic);
    omp_set_schedule(monotonic, 31);
    omp_get_schedule(&kind, &chunk);
    check(kind == monotonic && chunk == 31, "a monotonic static schedule that the program sets");
    omp_set_schedule(omp_sched_static, 31);
    omp_get_schedule(&kind, &chunk);
    check(kind == omp_sched_static && chunk == 31, "a static schedule that the program sets");
}

int main(void) {
    schedule_by_default();
    kmp_set_stacksize_s(64 << 20);
    check(kmp_get_stacksize_s() == 64 << 20, "kmp_get_stacksize_s");
    stacks();
    large_chunks();
    for (int count = 7; count <= 50; count += 43) {
        arrays(count, 1);
        arrays(count, omp_get_max_threads());
    }
    undeferred_with_event();
    undeferred_that_ends_later();
    reduction_in_a_combiner();
    printf("ok\n");
    return 0;
}
