// SPDX-License-Identifier: Apache-2.0
// Creates tasks whose predecessors have all finished. Each of STEPS steps has one task on each of
// BLOCKS blocks, and READERS tasks that read a value before the next task writes it.
#include <stdio.h>

enum { BLOCKS = 200, STEPS = 5, READERS = 300 };

int main(void) {
    static char block[BLOCKS];
    int value = 0, read = 0;
#pragma omp parallel
#pragma omp single
    {
        for (int step = 0; step < STEPS; ++step) {
            for (int i = 0; i < BLOCKS; ++i) {
#pragma omp task depend(inout : block[i])
                ++block[i];
            }
#pragma omp taskwait
        }
#pragma omp task depend(out : value)
        value = 1;
        for (int i = 0; i < READERS; ++i) {
#pragma omp task depend(in : value)
            __atomic_fetch_add(&read, value, __ATOMIC_RELAXED);
        }
#pragma omp taskwait
#pragma omp task depend(out : value)
        value = 2;
    }
    printf("%d %d %d\n", block[0], read, value);
    return 0;
}
