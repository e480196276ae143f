// SPDX-License-Identifier: Apache-2.0
//
// A task waits while it holds a lock. On top of its stack, tasks of a taskgroup run. The group has
// more tasks than a queue holds, and the parents of these tasks have ended. No other tasks may
// start there. So the wait must recognise these tasks as descendants of the waiting task, although
// their parents are gone. The same holds for the wait of a task whose own parents are gone.
#include "check.h"

enum { LOCKING = 4, CHILDREN = 600 * LOCKING, LEAVES = 1200 }; // a queue holds 1024

static omp_lock_t lock;
static int leaves;

static void leaf(void) {
#pragma omp atomic
    ++leaves;
}

static void create_leaves(int count) {
    for (int i = 0; i < count; ++i) {
#pragma omp task
        leaf();
    }
}

// Who creates them ends before they do, and then the parent of that one is gone.
static void create_orphans(void) {
#pragma omp task
    {
#pragma omp task
        create_leaves(LEAVES);
    }
}

static void group_of_orphans(void) {
#pragma omp taskgroup
    create_orphans();
}

// It waits for its children, while those above it are gone.
static void children_of_an_orphan(void) {
#pragma omp taskgroup
    {
#pragma omp task
        {
#pragma omp task
            {
#pragma omp task
                {
#pragma omp taskyield
                    create_leaves(LEAVES);
#pragma omp taskwait
                }
            }
        }
    }
}

static void hold_lock(int number) {
    omp_set_lock(&lock);
#pragma omp task
    {
        if (number % 2) group_of_orphans();
        else children_of_an_orphan();
    }
#pragma omp taskwait
    omp_unset_lock(&lock);
}

static void run(int threads) {
    leaves = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
    {
#pragma omp task
        for (int i = 0; i < CHILDREN; ++i) {
#pragma omp task
            {
                if (i % (CHILDREN / LOCKING) == 0) hold_lock(i / (CHILDREN / LOCKING));
#pragma omp taskyield
            }
        }
    }
    CHECK_EQ(leaves, LOCKING * LEAVES);
}

int main(void) {
    omp_init_lock(&lock);
    for (int threads = 1; threads <= 3; ++threads)
        run(threads);
    omp_destroy_lock(&lock);
    return 0;
}
