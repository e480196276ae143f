// SPDX-License-Identifier: Apache-2.0
//
// Uses a little of each OpenMP feature, and checks the results. Situations call this to check that
// a process or thread can still use OpenMP after an event.
#ifndef USE_OPENMP_H
#define USE_OPENMP_H

#include <omp.h>

#include "situation.h"

enum { kTasksOfUse = 40 };

__attribute__((unused)) static long tree_of_tasks(int depth) {
    if (depth == 0) return 1;
    long left = 0, right = 0;
#pragma omp task shared(left)
    left = tree_of_tasks(depth - 1);
#pragma omp task shared(right)
    right = tree_of_tasks(depth - 1);
#pragma omp taskwait
    return left + right;
}

// Regions, barriers, loops, single, critical, locks, tasks with and without dependences.
__attribute__((unused)) static void use_openmp(int threads) {
    int members = 0, locked = 0, chained = 0;
    long sum = 0, leaves = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(threads) reduction(+ : members)
    {
        members += omp_get_num_threads() == threads;
#pragma omp single
        {
            leaves = tree_of_tasks(5);
            for (int i = 0; i < kTasksOfUse; ++i) {
#pragma omp task depend(inout : chained) shared(chained)
                chained += chained == i;
            }
        }
        omp_set_lock(&lock);
        ++locked;
        omp_unset_lock(&lock);
#pragma omp barrier
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 10; ++i)
#pragma omp critical
            sum += i;
    }
    omp_destroy_lock(&lock);
    CHECK_EQ(members, threads);
    CHECK_EQ(leaves, 32);
    CHECK_EQ(chained, kTasksOfUse);
    CHECK_EQ(locked, threads);
    CHECK_EQ(sum, 45);
}

// A team in a team.
__attribute__((unused)) static void use_nested_openmp(int outer, int inner) {
    int members = 0;
    omp_set_max_active_levels(8);
#pragma omp parallel num_threads(outer)
#pragma omp parallel num_threads(inner)
#pragma omp atomic
    ++members;
    CHECK_EQ(members, outer * inner);
}

#endif
