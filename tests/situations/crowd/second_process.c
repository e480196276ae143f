// SPDX-License-Identifier: Apache-2.0
//
// Situation: two processes on the same processors, each with as many threads as there are processors, each with 20,000 barriers
// Catches: a runtime whose threads spin for partners that the other process keeps from running
// limit: 60
#include "barriers.h"

static void many_barriers(void) { barriers(omp_get_num_procs(), 10000); }

int main(void) {
    const double began = omp_get_wtime();
    const pid_t child = fork();
    if (child == 0) {
        many_barriers();
        _exit(0);
    }
    many_barriers();
    situation_join(child);
    printf("note: %.1f s\n", omp_get_wtime() - began);
    return 0;
}
