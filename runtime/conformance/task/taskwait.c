// SPDX-License-Identifier: Apache-2.0
//
// taskwait waits for the children; taskgroup also waits for all their descendants.
#include "check.h"

int main(void) {
    int children = 0;
#pragma omp parallel
#pragma omp single
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 5; i++) {
#pragma omp task shared(children)
            {
#pragma omp task shared(children)
                {
#pragma omp atomic
                    children += 1000;
                }
#pragma omp atomic
                children++;
            }
        }
#pragma omp taskwait
        int seen;
#pragma omp atomic read
        seen = children;
        CHECK_EQ(seen % 1000, 5 * (round + 1) % 1000);
    }
    CHECK_EQ(children, 200 * 5 * 1001);
    int grandchildren = 0;
#pragma omp parallel
#pragma omp single
    for (int round = 1; round <= 100; round++) {
#pragma omp taskgroup
        {
#pragma omp task shared(grandchildren)
            {
#pragma omp task shared(grandchildren)
                grandchildren++;
            }
        }
        CHECK_EQ(grandchildren, round);
    }
}
