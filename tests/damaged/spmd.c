// SPDX-License-Identifier: Apache-2.0
// Each thread does a share of the work, of which the first thread has the most.
#include <omp.h>
#include <stdio.h>

static double spin(long turns) {
    volatile double x = 0;
    for (long i = 0; i < turns; i++)
        x += 1;
    return x;
}

int main(void) {
    double sum = 0;
    for (int round = 0; round < 10; round++) {
#pragma omp parallel reduction(+ : sum)
        {
            sum += spin(omp_get_thread_num() == 0 ? 900000 : 100000);
#pragma omp barrier
            sum += spin(100000 / omp_get_num_threads());
        }
    }
    return printf("%f\n", sum) < 0;
}
