// SPDX-License-Identifier: Apache-2.0
// env: OMP_SCHEDULE=guided,7
//
// OMP_SCHEDULE sets the schedule that schedule(runtime) uses and that omp_get_schedule returns.
#include "check.h"

int main(void) {
    omp_sched_t kind;
    int chunk, count = 0;
    omp_get_schedule(&kind, &chunk);
    CHECK_EQ(kind, omp_sched_guided);
    CHECK_EQ(chunk, 7);
#pragma omp parallel for schedule(runtime) reduction(+ : count)
    for (int i = 0; i < 1234; i++)
        count++;
    CHECK_EQ(count, 1234);
}
