// SPDX-License-Identifier: Apache-2.0
//
// A chain of tasks: each task creates the next one and ends, as event loops do. Ended tasks use no
// memory, however long the chain gets, and a waiting task beside the chain still finds the tasks
// that it may run.
#include "check.h"

#include <omp.h>
#include <sys/resource.h>

enum { kLong = 20000, kMost_KB = 3 * 1024, kBranches = 2000 };

static int ran, leaves;

static long used_KB(void) {
    struct rusage usage;
    CHECK_EQ(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

static void next(int left) {
    __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
    if (left == 0) return;
#pragma omp task firstprivate(left)
    next(left - 1);
}

static void next_untied(int left) {
    __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
    if (left == 0) return;
#pragma omp task untied firstprivate(left)
    next_untied(left - 1);
}

// Each also leaves one that waits for its child.
static void branch(int left) {
    if (left == 0) return;
#pragma omp task
    {
#pragma omp task
        __atomic_fetch_add(&leaves, 1, __ATOMIC_RELAXED);
#pragma omp taskwait
        __atomic_fetch_add(&leaves, 1, __ATOMIC_RELAXED);
    }
#pragma omp task firstprivate(left)
    branch(left - 1);
}

int main(void) {
#pragma omp parallel
#pragma omp single
    next(1000);
    const long before = used_KB();
    ran = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup
        next(kLong);
        next_untied(kLong);
    }
    CHECK_EQ(ran, 2 * (kLong + 1));
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
    CHECK(used_KB() - before < kMost_KB);
#endif
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        {
#pragma omp taskgroup
            branch(kBranches);
            CHECK(leaves >= 2 * kBranches);
        }
#pragma omp task
        branch(kBranches);
    }
    CHECK_EQ(leaves, 4 * kBranches);
}
