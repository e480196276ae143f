// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2 TEFF_UNTIED=migrate
// stock: fails, an untied task continues on its thread
// halves: tasks of a library stay
//
// An untied task waits, and its thread starts another task, which ends only after the first. The
// idle thread continues the first. Its variables, its floating-point modes and errno come along.
#include "check.h"

#include <errno.h>
#include <fenv.h>

enum Wait { kTaskwait, kTaskgroup, kYield };

static int first_begun, second_begun, first_ended, go;
static omp_event_handle_t awaited;

static void set(omp_event_handle_t event) {
    __atomic_store_n(&awaited, event, __ATOMIC_RELEASE);
    __atomic_store_n(&first_begun, 1, __ATOMIC_RELEASE);
}

static void wait_for_event(enum Wait how) {
    omp_event_handle_t event;
    if (how == kYield) {
        while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE)) {
#pragma omp taskyield
        }
    } else if (how == kTaskgroup) {
#pragma omp taskgroup
        {
#pragma omp task detach(event)
            set(event);
        }
    } else {
#pragma omp task detach(event)
        set(event);
#pragma omp taskwait
    }
}

__attribute__((noinline)) static void set_errno(int value) { errno = value; }
__attribute__((noinline)) static int get_errno(void) { return errno; }

static void first(enum Wait how, const int* creator) {
    volatile double numbers[64];
    for (int i = 0; i < 64; i++)
        numbers[i] = i + 0.5;
    fesetround(FE_UPWARD);
    set_errno(EDOM);
    if (how == kYield) __atomic_store_n(&first_begun, 1, __ATOMIC_RELEASE);
    wait_for_event(how);
    CHECK_EQ(fegetround(), FE_UPWARD);
    CHECK_EQ(get_errno(), EDOM);
    fesetround(FE_TONEAREST);
    for (int i = 0; i < 64; i++)
        CHECK(numbers[i] == i + 0.5);
    CHECK_EQ(omp_get_thread_num(), *creator);
    // The task can wait and create tasks on its new thread, too.
    int ran = 0;
    for (int i = 0; i < 10; i++) {
#pragma omp task shared(ran)
        __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
    }
#pragma omp taskwait
    CHECK_EQ(ran, 10);
    __atomic_store_n(&first_ended, 1, __ATOMIC_RELEASE);
}

static void second(enum Wait how) {
    __atomic_store_n(&second_begun, 1, __ATOMIC_RELEASE);
    if (how == kYield) __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
    else omp_fulfill_event(__atomic_load_n(&awaited, __ATOMIC_ACQUIRE));
    check_wait_for(&first_ended, 1);
}

int main(void) {
    for (int round = 0; round < 30; round++) {
        const enum Wait how = (enum Wait)(round % 3);
        int creator = -1;
        first_begun = second_begun = first_ended = go = 0;
#pragma omp parallel
#pragma omp single
        {
            creator = omp_get_thread_num();
#pragma omp task untied shared(creator)
            first(how, &creator);
            check_wait_for(&first_begun, 1);
#pragma omp task
            second(how);
            check_wait_for(&second_begun, 1); // on the other thread: this one comes to no scheduling point
        }
        CHECK_EQ(first_ended, 1);
    }
    return 0;
}
