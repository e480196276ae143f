// SPDX-License-Identifier: Apache-2.0
// A chain of tasks, a wavefront, and a taskgroup that is cancelled (with OMP_CANCELLATION).
#include <stdio.h>

enum { kSide = 24 };
static double cell[kSide + 1][kSide + 1];

static double spin(long turns) {
    volatile double x = 0;
    for (long i = 0; i < turns; i++)
        x += 1;
    return x;
}

static void wavefront(void) {
    for (int row = 1; row <= kSide; row++)
        for (int column = 1; column <= kSide; column++) {
#pragma omp task depend(in : cell[row - 1][column], cell[row][column - 1]) depend(out : cell[row][column])
            cell[row][column] = cell[row - 1][column] + cell[row][column - 1] + spin(2000);
        }
}

static void cancelled(void) {
#pragma omp taskgroup
    for (int i = 0; i < 100; i++) {
#pragma omp task firstprivate(i)
        {
            (void)spin(5000);
            if (i == 20) {
#pragma omp cancel taskgroup
            }
        }
    }
}

int main(void) {
    double chain = 0;
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 100; i++) {
#pragma omp task depend(inout : chain)
            chain += spin(50000);
        }
        wavefront();
        cancelled();
    }
    return printf("%f\n", chain + cell[kSide][kSide]) < 0;
}
