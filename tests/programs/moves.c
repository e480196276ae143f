// SPDX-License-Identifier: Apache-2.0
// Runs tasks on one thread. Each task leaves the thread on another of two processors than the one
// on which the task began. Prints the processors on which the tasks began, in order.
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>

enum { TASKS = 6 };

static int bind(int processor) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    return sched_setaffinity(0, sizeof one, &one);
}

int main(void) {
    cpu_set_t all;
    int processors[2], found = 0, failed = 0;
    if (sched_getaffinity(0, sizeof all, &all) != 0) return 1;
    for (int i = 0; i < CPU_SETSIZE && found < 2; ++i)
        if (CPU_ISSET(i, &all)) processors[found++] = i;
    if (found < 2) return 2;
    failed |= bind(processors[0]);
#pragma omp parallel num_threads(1)
    for (int i = 0; i < TASKS; ++i) {
#pragma omp task shared(failed) firstprivate(i)
        {
            printf("%d\n", sched_getcpu());
            failed |= bind(processors[(i + 1) % 2]);
        }
#pragma omp taskwait
    }
    return failed ? 3 : 0;
}
