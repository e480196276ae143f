// SPDX-License-Identifier: Apache-2.0
// Runs the following on one thread: empty tasks, empty regions, empty critical regions, chunks of
// one iteration, and tasks that each depend on the task before. The arguments give the number of
// each.
#include <stdlib.h>

#define NOTHING() __asm__ volatile("")

int main(int argc, char** argv) {
    if (argc != 6) return 2;
    const int tasks = atoi(argv[1]), regions = atoi(argv[2]), criticals = atoi(argv[3]), chunks = atoi(argv[4]);
    const int dependent = atoi(argv[5]);
    char address __attribute__((unused)) = 0; // named in a clause alone
#pragma omp parallel num_threads(1)
    {
        for (int i = 0; i < tasks; ++i) {
#pragma omp task
            NOTHING();
        }
#pragma omp taskwait
        for (int i = 0; i < dependent; ++i) {
#pragma omp task depend(inout : address)
            NOTHING();
        }
#pragma omp taskwait
        for (int i = 0; i < criticals; ++i) {
#pragma omp critical
            NOTHING();
        }
#pragma omp for schedule(monotonic : dynamic, 1)
        for (int i = 0; i < chunks; ++i)
            NOTHING();
    }
    for (int i = 0; i < regions; ++i) {
#pragma omp parallel num_threads(1)
        NOTHING();
    }
    return 0;
}
