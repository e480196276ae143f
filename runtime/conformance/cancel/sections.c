// SPDX-License-Identifier: Apache-2.0
// env: OMP_CANCELLATION=true
//
// cancel sections: sections that have not begun do not run. The same holds for cancel with an if
// clause.
#include "check.h"

static void run(int condition, int* ran_after, int* passed) {
#pragma omp parallel
    {
#pragma omp sections
        {
            {
#pragma omp cancel sections if (condition)
#pragma omp atomic
                ++*ran_after;
            }
#pragma omp section
            // A team of one may come here first; others are freed by the cancelling section.
            while (condition && omp_get_num_threads() > 1) {
#pragma omp cancellation point sections
                sched_yield();
            }
        }
#pragma omp atomic
        ++*passed;
    }
}

int main(void) {
    omp_set_dynamic(0);
    for (int round = 0; round < 100; round++) {
        int ran_after = 0, passed = 0;
        run(round % 2, &ran_after, &passed);
        CHECK_EQ(ran_after, 1 - round % 2);
        CHECK_EQ(passed, omp_get_max_threads());
    }
}
