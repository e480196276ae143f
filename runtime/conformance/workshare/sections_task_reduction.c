// SPDX-License-Identifier: Apache-2.0
// flags: -Wno-maybe-uninitialized
// clang: lastprivate of sections fails on libomp, too
//
// Tests sections with a task reduction, and with a conditional lastprivate (of which GCC 12 warns
// without cause).
#include "check.h"

int main(void) {
    int sum = 0, last = 0;
#pragma omp parallel
    {
#pragma omp sections reduction(task, + : sum)
        {
#pragma omp section
            for (int i = 1; i <= 10; i++) {
#pragma omp task in_reduction(+ : sum)
                sum += i;
            }
#pragma omp section
            {
#pragma omp task in_reduction(+ : sum)
                sum += 1000;
            }
        }
        CHECK_EQ(sum, 1055);
#pragma omp sections lastprivate(conditional : last)
        {
#pragma omp section
            last = 4;
#pragma omp section
            if (sum > 0) last = 5;
#pragma omp section
            if (sum < 0) last = 6;
        }
        CHECK_EQ(last, 5);
    }
}
