// SPDX-License-Identifier: Apache-2.0
// All of the work is done inside a critical construct, so one thread would be as fast.
#include <omp.h>
#include <stdio.h>

int main(void) {
    static volatile unsigned long sum;
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < 400; i++) {
#pragma omp critical // HERE
        for (int j = 0; j < 50000; j++)
            sum += (unsigned long)j;
    }
    printf("%lu\n", sum);
}
