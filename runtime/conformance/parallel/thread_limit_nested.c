// SPDX-License-Identifier: Apache-2.0
// env: OMP_THREAD_LIMIT=6 OMP_NUM_THREADS=3
//
// Nested regions that run at the same time share the limit. The threads that a region used are
// available again for the next region.
#include "check.h"

enum { kLimit = 6, kRounds = 50 };

static int running, most;

static void count_me(void) {
    int now;
#pragma omp atomic capture
    now = ++running;
#pragma omp critical
    most = now > most ? now : most;
    sched_yield();
#pragma omp atomic
    running--;
}

int main(void) {
    omp_set_dynamic(0);
    omp_set_max_active_levels(3);
    for (int round = 0; round < kRounds; round++) {
#pragma omp parallel
        {
            CHECK_EQ(omp_get_num_threads(), 3);
#pragma omp parallel num_threads(4)
            {
                CHECK(omp_get_num_threads() >= 1 && omp_get_num_threads() <= 4);
#pragma omp parallel num_threads(2)
                count_me();
            }
        }
        CHECK(most <= kLimit);
#pragma omp parallel num_threads(9)
        CHECK_EQ(omp_get_num_threads(), kLimit);
    }
    CHECK_EQ(running, 0);
}
