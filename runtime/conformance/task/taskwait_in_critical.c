// SPDX-License-Identifier: Apache-2.0
//
// A task waits for its child inside a critical region that its siblings also need.
#include "check.h"

enum { TASKS = 200 };

int main(void) {
    int sum = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < TASKS; i++) {
#pragma omp task shared(sum)
        {
#pragma omp critical
            {
                int child = 0, before = sum;
#pragma omp task shared(child)
                child = 1;
#pragma omp taskwait
                CHECK_EQ(sum, before);
                sum = before + child;
            }
        }
    }
    CHECK_EQ(sum, TASKS);
}
