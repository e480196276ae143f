// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2 OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=on
//
// Tasks of a task reduction add to a copy that belongs to their thread. A task of higher priority
// does not interrupt an addition.
#include "check.h"

#include <unistd.h>

enum { ADDITIONS = 20000000, LATER = 40 };

static int begun;

int main(void) {
    double sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
    {
#pragma omp task in_reduction(+ : sum)
        {
            const double one = 1;
            __atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
            for (long i = 0; i < ADDITIONS; i++)
                sum += one;
        }
        check_wait_for(&begun, 1);
        for (int i = 0; i < LATER; i++) {
            usleep(200);
#pragma omp task untied priority(5) in_reduction(+ : sum)
            sum += 1000;
        }
    }
    CHECK_EQ((long)sum, ADDITIONS + 1000L * LATER);
    return 0;
}
