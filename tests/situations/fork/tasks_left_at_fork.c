// SPDX-License-Identifier: Apache-2.0
// Situation: the leader forks while tasks are queued, or while counts of ended tasks are pending: the child runs each remaining task once, and continues
// Catches: barriers and region ends that open too early in the child, tasks that run in its next region, and counts that never reach 0.

#include <sched.h>

#include "../use_openmp.h"

enum { kRounds = 30, kTasks = 4 };

static int ran;

static void create_tasks(int count) {
    for (int i = 0; i < count; ++i)
#pragma omp task
#pragma omp atomic
        ++ran;
}

// Nobody else runs the leader's tasks before the fork. They are over behind the barrier, or the
// region.
static pid_t fork_over_tasks(int with_barrier) {
    int forked = 0;
    pid_t child = -1;
    ran = 0;
#pragma omp parallel num_threads(2) shared(forked, child)
    {
        if (omp_get_thread_num() == 0) {
            create_tasks(kTasks);
            child = fork();
            __atomic_store_n(&forked, 1, __ATOMIC_RELEASE);
        } else {
            while (!__atomic_load_n(&forked, __ATOMIC_ACQUIRE))
                sched_yield();
        }
        if (with_barrier) {
#pragma omp barrier
            CHECK_EQ(ran, kTasks);
        }
    }
    CHECK_EQ(ran, kTasks);
    return child;
}

// The outer task ends first: its children's ends are kept, to be passed on together, when one of
// them forks.
static void create_family(pid_t* child) {
#pragma omp task shared(child)
    for (int i = 0; i < 3; ++i)
#pragma omp task shared(child) firstprivate(i)
    {
        ++ran;
        if (i == 1) *child = fork();
    }
}

static pid_t fork_over_kept_ends(int with_group) {
    pid_t child = -1;
    ran = 0;
#pragma omp parallel num_threads(1) shared(child)
    {
        if (with_group) {
#pragma omp taskgroup
            create_family(&child);
        } else {
            create_family(&child);
        }
    }
    CHECK_EQ(ran, 3);
    return child;
}

// The next region, too, has no other tasks than its own.
static void use_tasks(void) {
    ran = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    create_tasks(kTasks);
    CHECK_EQ(ran, kTasks);
}

static void go_on(pid_t child) {
    use_tasks();
    if (child == 0) _exit(0);
    situation_join(child);
}

int main(void) {
    for (int round = 0; round < kRounds; ++round) {
        go_on(fork_over_tasks(round % 2));
        go_on(fork_over_kept_ends(round % 2));
    }
    use_openmp(4);
    return 0;
}
