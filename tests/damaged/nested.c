// SPDX-License-Identifier: Apache-2.0
// Regions within regions, and a critical region in all of them.
#include <omp.h>
#include <stdio.h>

static double sum;

static double spin(long turns) {
    volatile double x = 0;
    for (long i = 0; i < turns; i++)
        x += 1;
    return x;
}

int main(void) {
    omp_set_max_active_levels(2);
    for (int round = 0; round < 20; round++) {
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
        {
            double mine = spin(20000);
#pragma omp critical
            sum += mine + spin(40000);
        }
    }
    return printf("%f\n", sum) < 0;
}
