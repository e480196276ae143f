// SPDX-License-Identifier: Apache-2.0
//
// Tests regions of changing size whose tasks run on any member. State that members left behind in a
// larger region must not affect a smaller region.
#include "check.h"

enum { REGIONS = 4000, TASKS = 20 };

int main(void) {
    omp_set_dynamic(0);
    for (int region = 0; region < REGIONS; region++) {
        int sum = 0;
#pragma omp parallel num_threads(1 + region % 4) shared(sum)
        {
#pragma omp single
            for (int i = 1; i <= TASKS; i++) {
#pragma omp task shared(sum)
                {
#pragma omp atomic
                    sum += i;
                }
            }
            CHECK_EQ(sum, TASKS * (TASKS + 1) / 2);
        }
    }
}
