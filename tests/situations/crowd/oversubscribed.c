// SPDX-License-Identifier: Apache-2.0
//
// Situation: 8, 16 and 64 threads on the machine's processors: barriers, loops, tasks, locks, ordered, doacross
// Catches: a runtime whose waiting threads keep the processor from the thread for which they wait: each wait takes a time slice or more
// limit: 60
#include "barriers.h"

static void loops(int rounds) {
    long sum = 0;
#pragma omp parallel reduction(+ : sum)
    for (int i = 0; i < rounds; ++i) {
#pragma omp for schedule(dynamic)
        for (int k = 0; k < 100; ++k)
            sum += k;
    }
    CHECK_EQ(sum, 4950L * rounds);
}

static void tasks(int rounds) {
    long sum = 0;
    for (int i = 0; i < rounds; ++i) {
#pragma omp parallel
#pragma omp single
        for (int k = 0; k < 100; ++k) {
#pragma omp task shared(sum)
#pragma omp atomic
            sum += 1;
        }
    }
    CHECK_EQ(sum, 100L * rounds);
}

static void locks(int rounds) {
    omp_lock_t lock;
    omp_init_lock(&lock);
    long sum = 0, critical_sum = 0, all = 0;
#pragma omp parallel reduction(+ : all)
    for (int i = 0; i < rounds; ++i) {
        omp_set_lock(&lock);
        ++sum;
        omp_unset_lock(&lock);
#pragma omp critical
        ++critical_sum;
        ++all;
    }
    omp_destroy_lock(&lock);
    CHECK_EQ(sum, all);
    CHECK_EQ(critical_sum, all);
}

static void in_order(int rounds) {
    int next = 0, wrong = 0;
    static int table[65][65];
#pragma omp parallel
    {
#pragma omp for ordered schedule(static, 1)
        for (int i = 0; i < rounds; ++i) {
#pragma omp ordered
            wrong += next++ != i;
        }
#pragma omp for ordered(2) schedule(static, 1)
        for (int i = 1; i < 65; ++i)
            for (int j = 1; j < 65; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
                table[i][j] = 1 + (table[i - 1][j] > table[i][j - 1] ? table[i - 1][j] : table[i][j - 1]);
#pragma omp ordered depend(source)
            }
    }
    CHECK_EQ(wrong, 0);
    CHECK_EQ(table[64][64], 127);
    memset(table, 0, sizeof table);
}

int main(void) {
    static const int kThreads[] = {8, 16, 64};
    const double began = omp_get_wtime();
    for (unsigned i = 0; i < sizeof kThreads / sizeof *kThreads; ++i) {
        omp_set_num_threads(kThreads[i]);
        const int rounds = 8000 / kThreads[i];
        barriers(kThreads[i], rounds);
        loops(rounds);
        tasks(rounds / 4);
        locks(rounds);
        in_order(rounds);
    }
    printf("note: %.1f s\n", omp_get_wtime() - began);
    return 0;
}
