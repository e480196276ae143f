// SPDX-License-Identifier: Apache-2.0
//
// taskwait with depend waits for the tasks that it names and for no others.
#include "check.h"

int main(void) {
#pragma omp parallel
#pragma omp single
    for (int round = 0; round < 50; round++) {
        int x = 0, y = 0, z = 0;
#pragma omp task depend(out : x) shared(x)
        x = 1;
#pragma omp task depend(out : y) shared(y)
        y = 1;
#pragma omp task depend(inout : x) shared(x)
        x++;
#pragma omp task depend(out : z) shared(z)
        {
#pragma omp atomic write
            z = 1;
        }
#pragma omp taskwait depend(in : x)
        CHECK_EQ(x, 2);
#pragma omp taskwait depend(inout : x, y)
        CHECK_EQ(y, 1);
#pragma omp taskwait
        CHECK_EQ(z, 1);
    }
}
