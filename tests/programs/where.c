// SPDX-License-Identifier: Apache-2.0
// Prints how many processors the process could use at its start, and how many threads a parallel
// region gets. With an argument, the program skips the region.
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>

static int processors(void) {
    cpu_set_t mask;
    return sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : -1;
}

int main(int count, char** words) {
    const int at_start = processors();
    int threads = 0, bound = 0;
    (void)words;
    if (count == 1) {
#pragma omp parallel reduction(+ : threads, bound)
        {
            ++threads;
            bound += processors() == 1;
        }
    }
    printf("processors %d threads %d bound %d\n", at_start, threads, bound);
}
