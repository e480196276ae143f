// SPDX-License-Identifier: Apache-2.0
//
// Situation: OMP_THREAD_LIMIT=5 with nested regions that ask for 4 x 4 threads, tasks and barriers inside
// Catches: a runtime that counts, for each team, only the enclosing teams: sibling teams together exceed the limit
// env: OMP_NUM_THREADS=4 OMP_THREAD_LIMIT=5 OMP_MAX_ACTIVE_LEVELS=3
#include "situation.h"

#include <omp.h>
#include <stdatomic.h>

static atomic_int at_work, most;

static void enter(void) {
    const int now = atomic_fetch_add(&at_work, 1) + 1;
    int seen = atomic_load(&most);
    while (seen < now && !atomic_compare_exchange_weak(&most, &seen, now)) {
    }
}

static void inner_region(long* sum) {
#pragma omp parallel num_threads(4) shared(sum)
    {
        if (omp_get_thread_num() != 0) enter();
#pragma omp barrier
#pragma omp single
        for (int i = 0; i < 10; ++i) {
#pragma omp task
#pragma omp atomic
            *sum += 1;
        }
#pragma omp barrier
        if (omp_get_thread_num() != 0) atomic_fetch_sub(&at_work, 1);
#pragma omp barrier
    }
}

int main(void) {
    CHECK_EQ(omp_get_thread_limit(), 5);
    for (int round = 0; round < 200; ++round) {
        long sum = 0;
        int members = 0;
#pragma omp parallel shared(sum) reduction(+ : members)
        {
            ++members;
            enter();
#pragma omp barrier
            inner_region(&sum);
            atomic_fetch_sub(&at_work, 1);
        }
        CHECK(members >= 1 && members <= 4);
        CHECK_EQ(sum, 10 * members);
    }
    if (atomic_load(&most) > 5) WRONG("%d threads at work, 5 are allowed", atomic_load(&most));
    return 0;
}
