// SPDX-License-Identifier: Apache-2.0
// env: OMP_CANCELLATION=true
//
// cancel parallel: threads leave the region at their next cancellation point; the next region has
// all threads again.
#include "check.h"

int main(void) {
    omp_set_dynamic(0);
    for (int round = 0; round < 100; round++) {
        int after_cancel = 0, reached_end = 0, size = 0;
#pragma omp parallel
        {
#pragma omp single
            size = omp_get_num_threads();
            if (omp_get_thread_num() == round % size) {
#pragma omp cancel parallel
                after_cancel = 1;
            }
            // Each of the others meets the cancellation here at the latest.
#pragma omp barrier
#pragma omp atomic
            reached_end++;
        }
        CHECK_EQ(after_cancel, 0);
        CHECK_EQ(reached_end, 0);
        int whole = 0;
#pragma omp parallel reduction(+ : whole)
        {
#pragma omp barrier
            whole++;
        }
        CHECK_EQ(whole, size);
    }
}
