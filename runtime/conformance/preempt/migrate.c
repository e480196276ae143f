// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2 OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=on TEFF_UNTIED=migrate
// stock: fails, a running task keeps its thread
//
// An untied task is preempted by a task that ends only after the preempted one. The idle thread
// continues the preempted task in the middle of its computation, with all its registers.
#include "check.h"

static int begun, high_begun, ended;

// The sums are kept in registers. Returns when the other task has begun, and some time after that.
__attribute__((noinline)) static void compute(double sums[4]) {
    double a = 1, b = 2, c = 3, d = 4;
    for (long i = 0, left = 1000; left > 0; i++) {
        a += 1;
        b += 2;
        c += 3;
        d += 4;
        if (i % 16 == 0 && __atomic_load_n(&high_begun, __ATOMIC_ACQUIRE)) left--;
        if (i % 1000 == 0) a -= 1000, b -= 2000, c -= 3000, d -= 4000;
    }
    sums[0] = a, sums[1] = b, sums[2] = c, sums[3] = d;
}

static void low(void) {
    double sums[4];
    __atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
    compute(sums);
    const double steps = sums[0] - 1;
    CHECK(sums[1] == 2 + 2 * steps && sums[2] == 3 + 3 * steps && sums[3] == 4 + 4 * steps);
    __atomic_store_n(&ended, 1, __ATOMIC_RELEASE);
}

int main(void) {
    for (int round = 0; round < 50; round++) {
        begun = high_begun = ended = 0;
#pragma omp parallel
#pragma omp single
        {
#pragma omp task untied priority(1)
            low();
            check_wait_for(&begun, 1);
#pragma omp task untied priority(5)
            {
                __atomic_store_n(&high_begun, 1, __ATOMIC_RELEASE);
                check_wait_for(&ended, 1);
            }
            check_wait_for(&high_begun, 1);
        }
        CHECK_EQ(ended, 1);
    }
    return 0;
}
