// SPDX-License-Identifier: Apache-2.0
// env: TEFF_BARRIER=combining OMP_CANCELLATION=true OMP_MAX_ACTIVE_LEVELS=2
// Tests the combining barrier: teams of changing sizes, far more threads than processors, tasks at
// barriers, nested teams, and regions that are cancelled with members at a barrier.
#include <omp.h>

#include "../check.h"

enum { MOST = 64 };

static int come[MOST][16];

static void meet(int size, int rounds) {
#pragma omp parallel num_threads(size)
    {
        const int self = omp_get_thread_num(), next = (self + 1) % omp_get_num_threads();
        for (int round = 1; round <= rounds; ++round) {
            come[self][0] = round;
#pragma omp barrier
            CHECK(come[next][0] == round);
#pragma omp barrier
        }
    }
}

static void run_tasks(int size) {
    int ended = 0, seen = 0;
#pragma omp parallel num_threads(size) reduction(+ : seen)
    {
        for (int round = 1; round <= 20; ++round) {
#pragma omp task shared(ended)
            {
#pragma omp task shared(ended)
#pragma omp atomic
                ++ended;
#pragma omp atomic
                ++ended;
            }
#pragma omp barrier
            int now;
#pragma omp atomic read
            now = ended;
            seen += now == round * 2 * omp_get_num_threads();
#pragma omp barrier
        }
    }
    CHECK(seen == 20 * size);
}

static void cancel_some(int size) {
    for (int round = 0; round < 50; ++round) {
#pragma omp parallel num_threads(size)
        {
            if (omp_get_thread_num() == round % size) {
#pragma omp cancel parallel
            }
#pragma omp barrier
        }
    }
}

static void nest(void) {
    int inner[4] = {0};
#pragma omp parallel num_threads(4)
    {
        const int outer = omp_get_thread_num();
        for (int size = 1; size <= 6; ++size) {
#pragma omp parallel num_threads(size)
            {
#pragma omp atomic
                ++inner[outer];
#pragma omp barrier
#pragma omp masked
                CHECK(inner[outer] == size);
#pragma omp barrier
            }
            inner[outer] = 0;
#pragma omp barrier
        }
    }
}

int main(void) {
    for (int size = 1; size <= 20; ++size)
        meet(size, 10);
    meet(MOST, 20);
    meet(3, 500);
    run_tasks(1);
    run_tasks(5);
    run_tasks(19);
    cancel_some(13);
    meet(13, 20);
    cancel_some(4);
    run_tasks(20);
    nest();
    meet(9, 50);
    return 0;
}
