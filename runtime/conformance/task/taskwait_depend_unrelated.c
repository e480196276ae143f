// SPDX-License-Identifier: Apache-2.0
//
// taskwait with depend returns although an unrelated task cannot finish: the unrelated task waits
// for code after the taskwait.
#include "check.h"

int main(void) {
    // Two other threads at least: one may be held by the unrelated task.
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int round = 0; round < 20; round++) {
        int x = 0, started = 0, go = 0;
#pragma omp task shared(started, go)
        {
            __atomic_store_n(&started, 1, __ATOMIC_RELEASE);
            check_wait_for(&go, 1);
        }
        check_wait_for(&started, 1);
#pragma omp task depend(out : x) shared(x)
        x = 1;
#pragma omp taskwait depend(in : x)
        CHECK_EQ(x, 1);
        __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
#pragma omp taskwait
    }
}
