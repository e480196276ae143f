// SPDX-License-Identifier: Apache-2.0
// Each member of a region, and one of its tasks, forks a child that uses OpenMP, creates tasks, and
// calls exit. The region then continues with 20 tasks.

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kTasks = 20 };

static int count;

static void make_tasks(int tasks) {
    for (int i = 0; i < tasks; ++i) {
#pragma omp task
        __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
    }
#pragma omp taskwait
}

static void fork_and_wait(void) {
    const pid_t child = fork();
    if (child == 0) {
        make_tasks(100);
#pragma omp parallel num_threads(2)
        make_tasks(100);
        exit(0);
    }
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) _exit(4);
}

int main(void) {
#pragma omp parallel num_threads(3)
    {
        fork_and_wait();
#pragma omp barrier
#pragma omp single
        {
            make_tasks(kTasks - 1);
#pragma omp task
            {
                fork_and_wait();
                __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
            }
        }
    }
    return count == kTasks ? 0 : 1;
}
