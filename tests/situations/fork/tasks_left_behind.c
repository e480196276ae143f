// SPDX-License-Identifier: Apache-2.0
// Situation: fork while tasks are queued, running and waiting for others; the child waits for them (taskwait, taskgroup, barrier)
// Catches: a child that waits for ever for a task that another thread was running when the process was forked.

#include <sched.h>

#include "../use_openmp.h"

enum { kRounds = 30 };

int after; // a name for dependences

// One of the tasks runs on another thread when this thread forks, and never ends before the fork.
static void fork_beside_running_task(void) {
    int started = 0, released = 0, ended = 0;
    pid_t child = -1;
#pragma omp parallel num_threads(3) shared(started, released, ended, child)
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp task shared(started, released) depend(out : after)
            {
                __atomic_store_n(&started, 1, __ATOMIC_RELEASE);
                while (!__atomic_load_n(&released, __ATOMIC_ACQUIRE))
                    sched_yield();
            }
#pragma omp task shared(ended) depend(in : after) // behind the one that runs
            ++ended;
            while (!__atomic_load_n(&started, __ATOMIC_ACQUIRE))
                sched_yield();
            child = fork();
            __atomic_store_n(&released, 1, __ATOMIC_RELEASE);
        }
#pragma omp task
        CHECK_EQ(tree_of_tasks(2), 4);
#pragma omp taskwait
        CHECK_EQ(tree_of_tasks(4), 16);
        if (child == 0) _exit(0);
    }
    CHECK_EQ(ended, 1);
    situation_join(child);
}

int main(void) {
    for (int round = 0; round < kRounds; ++round)
        fork_beside_running_task();
    return 0;
}
