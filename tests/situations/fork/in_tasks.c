// SPDX-License-Identifier: Apache-2.0
// Situation: tasks fork while other tasks are queued and running; the child processes create tasks, wait for them, and end by _exit
// Catches: a child that waits for tasks of its parent, or executes a barrier with members that it does not have.

#include "../use_openmp.h"

enum { kRounds = 20, kForks = 4, kTasks = 200 };

// In the child, which is inside a task: its own child tasks, then a region.
static void child_of_task(void) {
    CHECK_EQ(tree_of_tasks(6), 64);
#pragma omp taskgroup
    {
#pragma omp task
        CHECK_EQ(tree_of_tasks(3), 8);
    }
    use_openmp(3);
    _exit(0);
}

int main(void) {
    omp_set_max_active_levels(8);
    for (int round = 0; round < kRounds; ++round) {
        int ended = 0;
#pragma omp parallel num_threads(4)
        use_openmp(2); // so that each member has a team of its own
#pragma omp parallel num_threads(4)
#pragma omp single
        for (int i = 0; i < kTasks; ++i) {
#pragma omp task firstprivate(i) shared(ended)
            {
                if (i % (kTasks / kForks) == 7) {
                    const pid_t child = fork();
                    if (child == 0) child_of_task();
                    situation_join(child);
                } else {
                    CHECK_EQ(tree_of_tasks(3), 8);
                }
#pragma omp atomic
                ++ended;
            }
        }
        CHECK_EQ(ended, kTasks);
    }
    return 0;
}
