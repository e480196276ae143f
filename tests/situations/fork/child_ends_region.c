// SPDX-License-Identifier: Apache-2.0
// Situation: the leader forks inside a region, and the child continues alone to the region's end: barriers, loops, single, tasks
// Catches: a child that waits at the region's barriers for members that it does not have.

#include <sched.h>

#include "../use_openmp.h"

enum { kRounds = 50, kThreads = 4 };

static int parents_pid;

// The leader runs all tasks, and the others have made them: its counts alone do not add up.
static void let_leader_run_tasks(int* done) {
    if (omp_get_thread_num() == 1) {
        for (int i = 0; i < 5; ++i)
#pragma omp task shared(done)
#pragma omp atomic
            ++*done;
    }
    while (omp_get_thread_num() != 0 && __atomic_load_n(done, __ATOMIC_ACQUIRE) < 5)
        sched_yield();
#pragma omp barrier
}

static void region_with_fork(pid_t* child) {
    int done = 0, tasks = 0, iterations = 0, singles = 0, numbers = 0;
#pragma omp parallel num_threads(kThreads) // an earlier region of the same team
    let_leader_run_tasks(&done);
#pragma omp parallel num_threads(kThreads) shared(tasks, iterations, singles, numbers)
    {
#pragma omp master
        *child = fork();
#pragma omp barrier
        const int is_child = getpid() != parents_pid;
#pragma omp critical
        numbers += omp_get_thread_num();
#pragma omp single
        {
#pragma omp atomic
            ++singles;
            for (int i = 0; i < 20; ++i)
#pragma omp task shared(tasks)
#pragma omp atomic
                ++tasks;
        }
#pragma omp for schedule(dynamic, 3)
        for (int i = 0; i < 100; ++i)
#pragma omp atomic
            ++iterations;
#pragma omp for schedule(static) ordered
        for (int i = 0; i < 10; ++i)
#pragma omp ordered
            ++iterations;
        CHECK_EQ(omp_get_num_threads(), is_child ? 1 : kThreads);
    }
    CHECK_EQ(tasks, 20);
    CHECK_EQ(iterations, 110);
    CHECK_EQ(singles, 1);
    CHECK_EQ(numbers, getpid() != parents_pid ? 0 : kThreads * (kThreads - 1) / 2);
}

int main(void) {
    parents_pid = getpid();
    for (int round = 0; round < kRounds; ++round) {
        pid_t child = -1;
        region_with_fork(&child);
        if (child == 0) {
            use_openmp(3);
            return 0; // in order: the runtime's end is tried, too
        }
        situation_join(child);
    }
    use_openmp(4);
    return 0;
}
