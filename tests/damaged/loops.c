// SPDX-License-Identifier: Apache-2.0
// Loops whose iterations grow, between serial parts.
#include <stdio.h>

static double spin(long turns) {
    volatile double x = 0;
    for (long i = 0; i < turns; i++)
        x += 1;
    return x;
}

int main(void) {
    double sum = spin(2000000);
    for (int round = 0; round < 5; round++) {
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : sum)
        for (int i = 0; i < 200; i++)
            sum += spin(40L * i);
        sum += spin(500000);
    }
    return printf("%f\n", sum) < 0;
}
