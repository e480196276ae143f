// SPDX-License-Identifier: Apache-2.0
// stock: fails, the child waits at the region's end for threads that only its parent has
//
// A process forks inside a region. In the child, the forking thread is the only member of the team.
// It ends the region when the tasks that it creates have run, and the next region has a whole team.
#include "check.h"
#include <sys/wait.h>

enum { FORKS = 4, TASKS = 40 };

static int ran;

static void create_tasks(void) {
    for (int i = 0; i < TASKS; i++) {
#pragma omp task
        __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
    }
}

static void next_region(void) {
    ran = 0;
#pragma omp parallel
#pragma omp single nowait
    create_tasks();
    CHECK_EQ(ran, TASKS);
}

static pid_t fork_inside(void) {
    pid_t child = -1;
#pragma omp parallel
#pragma omp masked
    {
        create_tasks(); // before, so that all is set up for tasks
#pragma omp taskwait
        child = fork();
        if (child == 0) {
            alarm(10); // alarms are not inherited
            ran = 0;
            create_tasks();
        }
    }
    return child;
}

int main(void) {
    for (int i = 0; i < FORKS; i++) {
        const pid_t child = fork_inside();
        CHECK(child >= 0);
        if (child == 0) {
            CHECK_EQ(ran, TASKS);
            next_region();
            _exit(0);
        }
        int status = -1;
        CHECK_EQ(waitpid(child, &status, 0), child);
        CHECK_EQ(status, 0);
        next_region();
    }
}
