// SPDX-License-Identifier: Apache-2.0
//
// A program with thread-local variables. A task that reaches one of them must not be preempted: no
// other task may run on its thread before it ends. A task that reaches none must be preempted: it
// computes until a task of high priority has run, which no other thread can run, because the thread
// that creates it waits outside of tasks. The task of high priority changes the variables, and is
// tied as all others are.
//
// Each kind of task reaches a variable in its own way. The files that include this one compile it
// in several ways.
#include <math.h>

#include "check.h"

enum { ROUNDS = 20 };

static int begun, created, served, disturbed;

static __thread int counter;
static int private_counter;
#pragma omp threadprivate(private_counter)

static void compute_for_a_while(void) {
    for (volatile int i = 0; i < 300000; ++i) {
    }
}

static void begin(int round) { __atomic_store_n(&begun, round + 1, __ATOMIC_RELEASE); }

static void wait_for_creation(int round) {
    while (__atomic_load_n(&created, __ATOMIC_ACQUIRE) <= round) {
    }
    compute_for_a_while();
}

static void create_high(int round) {
    check_wait_for(&begun, round + 1);
#pragma omp task priority(5)
    {
        counter += 1000;
        private_counter += 1000;
        __atomic_fetch_add(&served, 1, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&created, round + 1, __ATOMIC_RELEASE);
    check_wait_for(&served, round + 1);
}

static void note_disturbed(int round, int before, int after) {
    const int is_disturbed = before != after || __atomic_load_n(&served, __ATOMIC_ACQUIRE) > round;
    if (is_disturbed) __atomic_fetch_add(&disturbed, 1, __ATOMIC_RELAXED);
}

// READ: an expression that reads a variable.
#define BOUND(name, READ)                                                                                              \
    static void name(int round) {                                                                                      \
        _Pragma("omp task priority(1) firstprivate(round)") {                                                          \
            begin(round);                                                                                              \
            const int before = READ;                                                                                   \
            wait_for_creation(round);                                                                                  \
            note_disturbed(round, before, READ);                                                                       \
        }                                                                                                              \
        create_high(round);                                                                                            \
    }

// WORK: a statement that the task repeats.
#define FREE(name, WORK)                                                                                               \
    static void name(int round) {                                                                                      \
        _Pragma("omp task priority(1) firstprivate(round)") {                                                          \
            begin(round);                                                                                              \
            while (__atomic_load_n(&served, __ATOMIC_ACQUIRE) <= round) {                                              \
                WORK;                                                                                                  \
            }                                                                                                          \
        }                                                                                                              \
        create_high(round);                                                                                            \
    }

__attribute__((noinline)) static int read_counter(void) { return *(volatile int*)&counter; }
__attribute__((noinline)) static int read_deeply(int depth) {
    return depth == 0 ? read_counter() : read_deeply(depth - 1) + (depth & 0);
}
__attribute__((noinline)) static int read_by_tail_call(int depth) { return read_deeply(depth); }
static inline int read_inline(void) { return *(volatile int*)&private_counter; }

__attribute__((noinline)) static int choose(int which) {
    switch (which) {
    case 0:
        return 3;
    case 1:
        return getpid() != 0;
    case 2:
        return read_counter();
    case 3:
        return 7 * (int)strlen("grain");
    case 4:
        return abs(-5);
    case 5:
        return omp_get_level();
    default:
        return 1;
    }
}

#ifndef WITHOUT_SWITCHES // at fixed addresses, the code of a switch looks like a call by a pointer
__attribute__((noinline)) static int choose_free(int which) {
    switch (which) {
    case 0:
        return 3;
    case 1:
        return getpid() != 0;
    case 2:
        return omp_get_thread_num();
    case 3:
        return 7 * (int)strlen("grain");
    case 4:
        return (int)sqrt(which * 3.0);
    case 5:
        return omp_get_level();
    default:
        return 1;
    }
}
#endif

static int (*volatile reader)(void) = read_counter;

// The comparison finds the variable changed if another task has run.
static int first_seen;
static int compare(const void* left, const void* right) {
    (void)left;
    (void)right;
    first_seen = *(volatile int*)&counter;
    return 0;
}
static int read_by_sorting(void) {
    int numbers[2] = {1, 2};
    qsort(numbers, 2, sizeof numbers[0], compare);
    return first_seen;
}
static struct {
    int (*compare)(const void*, const void*);
} order = {compare};
static int read_by_stored_function(void) {
    int numbers[2] = {1, 2};
    qsort(numbers, 2, sizeof numbers[0], order.compare);
    return first_seen;
}

static volatile int two = 2;

BOUND(direct, *(volatile int*)&counter)
BOUND(threadprivate, *(volatile int*)&private_counter)
BOUND(inlined, read_inline())
BOUND(called, read_counter())
BOUND(deep, read_by_tail_call(3))
BOUND(by_switch, choose(two))
BOUND(by_pointer, reader())
BOUND(by_sorting, read_by_sorting())
BOUND(by_stored_function, read_by_stored_function())

FREE(computes, compute_for_a_while())
FREE(calls_libraries, (void)(sin(two) + (double)strlen("grain") + omp_get_wtime()))
FREE(has_array, volatile char text[64]; text[two] = 1; (void)text[0]; compute_for_a_while())
#ifndef WITHOUT_SWITCHES
FREE(chooses, (void)choose_free(two))
#endif

int main(void) {
    void (*const kinds[])(int) = {
        direct,     threadprivate,      inlined,  called,          deep,      by_switch, by_pointer,
        by_sorting, by_stored_function, computes, calls_libraries, has_array,
#ifndef WITHOUT_SWITCHES
        chooses,
#endif
    };
    enum { KINDS = sizeof kinds / sizeof kinds[0] };
#pragma omp parallel
#pragma omp single
    for (int round = 0; round < ROUNDS * KINDS; ++round)
        kinds[round % KINDS](round);
    CHECK_EQ(served, ROUNDS * KINDS);
    CHECK_EQ(disturbed, 0);
    return 0;
}
