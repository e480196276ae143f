// SPDX-License-Identifier: Apache-2.0
//
// Situation: 1,000 threads: region, barriers, loops, tasks, single; then teams of 3, 700 and 1,000 again
// Catches: a runtime that spins with 1,000 threads, checks all of them for each task, or has bits for a limited number of threads
// env: OMP_NUM_THREADS=1000 OMP_STACKSIZE=256K
// limit: 60
#include "again.h"

#include <omp.h>

static void one_round(int threads) {
    int members = 0, wrong = 0, phase = 0;
    long sum = 0, tasks = 0;
#pragma omp parallel num_threads(threads) reduction(+ : members, wrong, sum)
    {
        ++members;
        for (int i = 0; i < 3; ++i) {
#pragma omp single
            ++phase;
            wrong += phase != i + 1;
#pragma omp barrier
        }
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 5000; ++i)
            sum += i;
#pragma omp for schedule(guided)
        for (int i = 0; i < 5000; ++i)
            sum += i;
#pragma omp single nowait
        for (int i = 0; i < 2000; ++i) {
#pragma omp task
#pragma omp atomic
            tasks += 1;
        }
#pragma omp task
#pragma omp atomic
        tasks += 1;
    }
    CHECK_EQ(members, threads);
    CHECK_EQ(wrong, 0);
    CHECK_EQ(sum, 2 * 5000L * 4999 / 2);
    CHECK_EQ(tasks, 2000 + threads);
}

int main(void) {
    static const int kThreads[] = {1000, 3, 700, 1000, 1, 1000};
    const struct rlimit most = {RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_NPROC, &most);
    const double began = omp_get_wtime();
    for (unsigned i = 0; i < sizeof kThreads / sizeof *kThreads; ++i)
        one_round(kThreads[i]);
    printf("note: %.1f s\n", omp_get_wtime() - began);
    return 0;
}
