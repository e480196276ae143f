// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2 OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=on
// stock: fails, a running task keeps its thread
//
// A task sets rounding to upwards and is preempted by tasks that change the rounding mode. The task
// continues with its own mode. The tasks that start in its place begin with the mode of their
// thread.
#include "check.h"

#include <fenv.h>

enum { ROUNDS = 50 };

static int begun, served;

static double third(int mode) {
    volatile double one = 1, three = 3;
    CHECK_EQ(fegetround(), mode);
    return one / three;
}

static void compute_until(int wanted) {
    CHECK_EQ(fesetround(FE_UPWARD), 0);
    const double up = third(FE_UPWARD);
    __atomic_fetch_add(&begun, 1, __ATOMIC_RELEASE);
    volatile double one = 1, three = 3;
    int same = 1;
    while (__atomic_load_n(&served, __ATOMIC_ACQUIRE) < wanted)
        same &= one / three == up;
    CHECK_EQ(same, 1);
    CHECK_EQ(third(FE_UPWARD) == up, 1);
    CHECK_EQ(fesetround(FE_TONEAREST), 0);
}

static void serve(int mode) {
    const int before = fegetround();
    CHECK_EQ(fesetround(mode), 0);
    (void)third(mode);
    CHECK_EQ(fesetround(before), 0);
    __atomic_fetch_add(&served, 1, __ATOMIC_RELEASE);
}

int main(void) {
    for (int round = 0; round < ROUNDS; ++round) {
#pragma omp parallel
#pragma omp single
        {
#pragma omp task untied priority(1)
            compute_until(2 * round + 2);
            check_wait_for(&begun, round + 1);
#pragma omp task untied priority(4)
            serve(FE_DOWNWARD);
            check_wait_for(&served, 2 * round + 1);
#pragma omp task untied priority(5)
            serve(FE_TOWARDZERO);
            check_wait_for(&served, 2 * round + 2);
        }
    }
    CHECK_EQ(served, 2 * ROUNDS);
    return 0;
}
