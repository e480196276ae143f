// SPDX-License-Identifier: Apache-2.0
//
// A taskgroup does not wait for a task that was created before the taskgroup began.
#include "check.h"

int main(void) {
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int round = 0; round < 20; round++) {
        int started = 0, go = 0, inside = 0;
#pragma omp task shared(started, go)
        {
            __atomic_store_n(&started, 1, __ATOMIC_RELEASE);
            check_wait_for(&go, 1);
        }
        check_wait_for(&started, 1);
#pragma omp taskgroup
        {
#pragma omp task shared(inside)
            inside = 1;
        }
        CHECK_EQ(inside, 1);
        __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
#pragma omp taskwait
    }
}
