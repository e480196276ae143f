/* SPDX-License-Identifier: Apache-2.0 */
/* The shortest program with threads: one region. Its exit status is the region's size minus 1. Used by start.c. */
#include <omp.h>

int main(void) {
    int threads = 0;
#pragma omp parallel reduction(+ : threads)
    threads += 1;
    return threads - 1;
}
