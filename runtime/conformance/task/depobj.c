// SPDX-License-Identifier: Apache-2.0
//
// Tests depend objects: they are made, updated, used on tasks and in taskwait, and destroyed.
#include "check.h"

int main(void) {
    int x = 0, y = 0;
    omp_depend_t object, other;
#pragma omp depobj(object) depend(inout : x)
#pragma omp depobj(other) depend(in : y)
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 100; i++) {
#pragma omp task depend(depobj : object) shared(x)
            {
                CHECK_EQ(x, i);
                x = i + 1;
            }
        }
#pragma omp depobj(object) update(in)
        for (int i = 0; i < 3; i++) {
#pragma omp task depend(depobj : object, other) shared(x)
            CHECK_EQ(x, 100);
        }
#pragma omp depobj(object) update(mutexinoutset)
#pragma omp task depend(depobj : object) shared(x)
        x = 200;
#pragma omp taskwait depend(in : x)
        CHECK_EQ(x, 200);
    }
#pragma omp depobj(object) destroy
#pragma omp depobj(other) destroy
    CHECK_EQ(y, 0);
}
