// SPDX-License-Identifier: Apache-2.0
//
// Situation: two processes on the same processors, each with as many threads as there are processors, each with 20,000 barriers
// Catches: a runtime whose threads spin for partners that the other process keeps from running
// limit: 60
#include "situation.h"

#include <omp.h>

static void barriers(void) {
    int phase = 0, wrong = 0;
    omp_set_num_threads(omp_get_num_procs());
#pragma omp parallel reduction(+ : wrong)
    for (int i = 0; i < 10000; ++i) {
#pragma omp barrier
#pragma omp single nowait
        ++phase;
#pragma omp barrier
        wrong += phase != i + 1;
    }
    CHECK_EQ(wrong, 0);
}

int main(void) {
    const double began = omp_get_wtime();
    const pid_t child = fork();
    if (child == 0) {
        barriers();
        _exit(0);
    }
    barriers();
    situation_join(child);
    printf("note: %.1f s\n", omp_get_wtime() - began);
    return 0;
}
