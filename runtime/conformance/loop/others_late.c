// SPDX-License-Identifier: Apache-2.0
//
// All threads except one arrive at a dynamic or guided loop only after all its iterations are done.
// The remaining thread takes all iterations, whichever thread of the team it is.
#include "check.h"

static int done;

static int so_far(void) {
    int seen;
#pragma omp atomic read
    seen = done;
    return seen;
}

static void finished_one(void) {
#pragma omp atomic
    done++;
}

static void check(int early, int iterations, int guided) {
    done = 0;
#pragma omp parallel
    {
        const int alone = early % omp_get_num_threads();
        while (omp_get_thread_num() != alone && so_far() < iterations)
            sched_yield();
        if (guided) {
#pragma omp for schedule(guided) nowait
            for (int i = 0; i < iterations; i++)
                finished_one();
        } else {
#pragma omp for schedule(dynamic, 1) nowait
            for (int i = 0; i < iterations; i++)
                finished_one();
        }
    }
    CHECK_EQ(done, iterations);
}

int main(void) {
    for (int early = 0; early < 4; early++)
        for (int iterations = 1; iterations <= 1000; iterations = 3 * iterations + 1)
            for (int guided = 0; guided < 2; guided++)
                check(early, iterations, guided);
}
