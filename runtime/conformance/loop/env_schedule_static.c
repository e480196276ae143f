// SPDX-License-Identifier: Apache-2.0
// env: OMP_SCHEDULE=monotonic:static,3
//
// Tests OMP_SCHEDULE with a modifier. The program recognises the static schedule by the thread that
// runs each iteration.
#include "check.h"

int main(void) {
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    CHECK_EQ(kind & ~omp_sched_monotonic, omp_sched_static);
    CHECK_EQ(chunk, 3);
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 500; i++)
        CHECK_EQ(omp_get_thread_num(), i / 3 % omp_get_num_threads());
}
