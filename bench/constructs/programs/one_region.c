/* SPDX-License-Identifier: Apache-2.0 */
/* The shortest of all programs with threads: one region, whose size is its exit status less one. For start.c. */
#include <omp.h>

int main(void) {
    int threads = 0;
#pragma omp parallel reduction(+ : threads)
    threads += 1;
    return threads - 1;
}
