// SPDX-License-Identifier: Apache-2.0
//
// Undeferred tasks with dependences wait for the tasks that they depend on.
#include "check.h"

int main(void) {
#pragma omp parallel
#pragma omp single
    for (int round = 0; round < 50; round++) {
        int x = 0;
#pragma omp task depend(out : x) shared(x)
        {
            usleep(50);
            x = 1;
        }
#pragma omp task if (0) depend(in : x) shared(x)
        CHECK_EQ(x, 1);
#pragma omp task depend(inout : x) shared(x)
        x++;
#pragma omp task final(1) depend(inout : x) shared(x)
        x *= 10;
#pragma omp taskwait
        CHECK_EQ(x, 20);
    }
}
