// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=1
//
// A creator that holds a lock, or whose region is inside a critical region, queues only a limited
// number of tasks. (The specification does not require this, but otherwise memory would grow with
// the number of tasks.)
#include "check.h"

enum { kTasks = 200000, kMostQueued = 4096 };

int main(void) {
    int ran = 0, created = 0, most = 0;
#pragma omp parallel
#pragma omp critical
#pragma omp parallel num_threads(1)
    {
        for (int i = 0; i < kTasks; i++) {
#pragma omp task shared(ran)
            ran++;
            created++;
            if (created - ran > most) most = created - ran;
        }
    }
    CHECK_EQ(ran, kTasks);
    CHECK(most <= kMostQueued);
    return 0;
}
