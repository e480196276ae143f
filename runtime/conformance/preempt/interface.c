// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2 OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=on
// emulated: AArch64 has no teff_exempt_from_preemption
// stock: fails, a running task keeps its thread
//
// Tests the routines of teff.h for preemption. A task of low priority computes on one thread; a
// task of high priority becomes ready on the other, which waits outside of tasks and so cannot run
// it. While preemption is off or held back, or while the low task is in an exempt function, the
// high task must not run. Afterwards it must run; otherwise the low task computes for ever.
#include "../../include/teff.h"
#include "check.h"

enum { ROUNDS = 30 };

static int begun, created, served, seen_too_early;

static void compute_for_a_while(void) {
    for (volatile int i = 0; i < 1000000; ++i) {
    }
}

static void compute_until(const int* count, int wanted) {
    volatile double sum = 0;
    while (__atomic_load_n(count, __ATOMIC_ACQUIRE) < wanted)
        sum += 1;
}

static void count_if_served(int round) {
    if (__atomic_load_n(&served, __ATOMIC_ACQUIRE) > round) __atomic_fetch_add(&seen_too_early, 1, __ATOMIC_RELAXED);
}

static void create_high(int round) {
#pragma omp task untied priority(5)
    __atomic_fetch_add(&served, 1, __ATOMIC_RELEASE);
    __atomic_store_n(&created, round + 1, __ATOMIC_RELEASE);
}

// Calls nothing.
__attribute__((noinline)) static void exempt(int round) {
    __atomic_store_n(&begun, round + 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&created, __ATOMIC_ACQUIRE) <= round) {
    }
    for (volatile int i = 0; i < 1000000; ++i) {
    }
    if (__atomic_load_n(&served, __ATOMIC_ACQUIRE) > round) __atomic_fetch_add(&seen_too_early, 1, __ATOMIC_RELAXED);
}

static void switched_off(int round) {
    CHECK_EQ(teff_set_preemption(0), 1);
    CHECK_EQ(teff_set_preemption(0), 0);
#pragma omp task untied priority(1)
    {
        __atomic_store_n(&begun, round + 1, __ATOMIC_RELEASE);
        compute_until(&served, round + 1);
    }
    check_wait_for(&begun, round + 1);
    create_high(round);
    compute_for_a_while();
    count_if_served(round);
    CHECK_EQ(teff_set_preemption(1), 0);
    check_wait_for(&served, round + 1);
}

static void held_back(int round) {
#pragma omp task untied priority(1)
    {
        teff_hold_preemption();
        teff_hold_preemption();
        __atomic_store_n(&begun, round + 1, __ATOMIC_RELEASE);
        compute_until(&created, round + 1);
        compute_for_a_while();
        teff_release_preemption();
        compute_for_a_while();
        count_if_served(round);
        teff_release_preemption();
        compute_until(&served, round + 1);
    }
    check_wait_for(&begun, round + 1);
    create_high(round);
    check_wait_for(&served, round + 1);
}

static void in_exempt_function(int round) {
#pragma omp task untied priority(1)
    {
        exempt(round);
        compute_until(&served, round + 1);
    }
    check_wait_for(&begun, round + 1);
    create_high(round);
    check_wait_for(&served, round + 1);
}

int main(void) {
    CHECK_EQ(teff_exempt_from_preemption((void (*)(void))exempt), 0);
#pragma omp parallel
#pragma omp single
    for (int round = 0; round < ROUNDS; round += 3) {
        switched_off(round);
        held_back(round + 1);
        in_exempt_function(round + 2);
    }
    CHECK_EQ(served, ROUNDS);
    CHECK_EQ(seen_too_early, 0);
    teff_release_preemption(); // no hold is there: nothing happens
    return 0;
}
