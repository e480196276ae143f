// SPDX-License-Identifier: Apache-2.0
//
// Situation: a team of 2 starts with all processors; another process then restricts it to one processor, and it executes 20,000 barriers
// Catches: a runtime that keeps the number of processors from the start: each waiting thread spins for the whole time slice
// env: OMP_NUM_THREADS=2
// limit: 30
#include "barriers.h"

#include <dirent.h>
#include <sched.h>

// All threads of this process, as `taskset -a` does it.
static void put_all_on_first_processor(void) {
    cpu_set_t mask, one;
    if (sched_getaffinity(0, sizeof mask, &mask) != 0) SKIP("no affinity mask");
    int first = 0;
    while (!CPU_ISSET(first, &mask)) ++first;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    DIR* threads = opendir("/proc/self/task");
    if (!threads) SKIP("no /proc/self/task");
    for (struct dirent* entry = readdir(threads); entry; entry = readdir(threads))
        if (entry->d_name[0] != '.' && sched_setaffinity(atoi(entry->d_name), sizeof one, &one) != 0) SKIP("sched_setaffinity says no");
    closedir(threads);
}

int main(void) {
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
    }
    put_all_on_first_processor();
    const double began = omp_get_wtime();
    barriers(2, 10000);
    CHECK_EQ(omp_get_num_procs(), 1);
    printf("note: %.1f s\n", omp_get_wtime() - began);
    return 0;
}
