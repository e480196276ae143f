// SPDX-License-Identifier: Apache-2.0
// Situation: fork between two regions, then regions, tasks and locks in child and parent, 200 times
// Catches: a child that waits for its parent's pool, whose threads it does not have.

#include <omp.h>

#include "../situation.h"

enum { kRounds = 200, kTasks = 40 };

static omp_lock_t lock;

static void use_openmp(int threads) {
    int members = 0, tasks = 0, locked = 0, sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : members)
    {
        members += 1;
#pragma omp single
        for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(tasks)
#pragma omp atomic
            ++tasks;
        }
        omp_set_lock(&lock);
        ++locked;
        omp_unset_lock(&lock);
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 10; ++i)
#pragma omp critical
            sum += i;
    }
    CHECK_EQ(members, threads);
    CHECK_EQ(tasks, kTasks);
    CHECK_EQ(locked, threads);
    CHECK_EQ(sum, 45);
}

int main(void) {
    omp_init_lock(&lock);
    for (int round = 0; round < kRounds; ++round) {
        use_openmp(2 + round % 3);
        const pid_t child = fork();
        if (child == 0) {
            use_openmp(2 + (round + 1) % 3);
            use_openmp(4);
            _exit(0);
        }
        use_openmp(2 + (round + 1) % 3);
        situation_join(child);
    }
    return 0;
}
