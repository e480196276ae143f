// SPDX-License-Identifier: Apache-2.0
// For Clang, with TEFF_PREEMPT=on: what a preempted task has and the tasks in its place must not
// touch. With -DTHREADPRIVATE and -fnoopenmp-use-tls, the copy of a variable of its thread;
// without, the clauses that it has passed ahead of a region. Prints what is wrong, and "ok" at the
// end.
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

enum { LATER = 20 };

static int begun, done;

static void spin(int times) {
    for (volatile int i = 0; i < times; i++) {
    }
}

#ifdef THREADPRIVATE
static volatile long sum;
#pragma omp threadprivate(sum)

// Each addition takes so long that a task of higher priority comes in the middle of some.
static void low(void) {
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
        const long before = sum;
        spin(3000);
        sum = before;
    }
}
static void high(void) { sum += 1000; }

static int check(void) {
    long all = 0;
#pragma omp parallel num_threads(2) reduction(+ : all)
    all += sum;
    if (all != 1000L * LATER) printf("sum: %ld\n", all);
    return all == 1000L * LATER;
}
#else
typedef struct {
    int reserved, flags, more, length;
    const char* text;
} Ident;
static Ident here = {0, 2, 0, 0, ";;;0;0;;"};
void __kmpc_push_num_threads(Ident*, int thread, int threads);
void __kmpc_fork_call(Ident*, int count, void (*code)(int* thread, int* member, ...), ...);

static int wrong;

static void count(int* thread, int* member, ...) {
    (void)thread;
    if (*member == 0 && omp_get_num_threads() != 3) __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}
// As Clang compiles `parallel num_threads(3)`, but with more time between the two calls.
static void low(void) {
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
        __kmpc_push_num_threads(&here, 0, 3);
        spin(100000);
        __kmpc_fork_call(&here, 0, count);
    }
}
static void high(void) {
    omp_set_num_threads(1);
#pragma omp parallel
    if (omp_get_num_threads() != 1) __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}

static int check(void) {
    if (wrong != 0) printf("regions of a wrong size: %d\n", wrong);
    return wrong == 0;
}
#endif

int main(void) {
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task untied
        {
            __atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
            low();
        }
        while (!__atomic_load_n(&begun, __ATOMIC_ACQUIRE)) {
        }
        for (int i = 0; i < LATER; i++) {
            usleep(2000);
#pragma omp task untied priority(5)
            high();
        }
        usleep(2000);
        __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
    }
    if (check()) puts("ok");
    return 0;
}
