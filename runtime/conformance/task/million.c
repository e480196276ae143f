// SPDX-License-Identifier: Apache-2.0
//
// One producer creates a million tiny tasks: the use of memory stays limited, and no task is lost.
#include "check.h"

enum { TASKS = 1000000 };

int main(void) {
    // libgomp holds one lock for each of its task operations: more threads only make it slower.
    int team = omp_get_max_threads() < 3 ? omp_get_max_threads() : 3;
    long counts[4][16] = {{0}};
#pragma omp parallel num_threads(team)
#pragma omp single
    for (int i = 0; i < TASKS; i++) {
#pragma omp task
        counts[omp_get_thread_num()][0]++;
    }
    CHECK_EQ(counts[0][0] + counts[1][0] + counts[2][0], TASKS);
}
