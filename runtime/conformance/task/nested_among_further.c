// SPDX-License-Identifier: Apache-2.0
//
// A creator makes more tasks than its queue holds, so it runs some of them itself. One of the
// queued tasks leads a region and waits in it. Each task runs in the region in which it was
// created, and the inner region ends.
#include "check.h"

enum { kTasks = 1024 + 8, kLeader = 1024 - 8 }; // a queue holds 1024

static int outer, inner;

static void nested_region(int threads) {
#pragma omp parallel num_threads(threads)
#pragma omp single
    for (int i = 0; i < 4; i++) {
#pragma omp task
        {
            CHECK_EQ(omp_get_level(), 2);
            __atomic_fetch_add(&inner, 1, __ATOMIC_RELAXED);
        }
#pragma omp taskyield
    }
}

static void region(int nested_threads) {
    outer = inner = 0;
#pragma omp parallel num_threads(1) // so nobody else takes the tasks
    for (int i = 0; i < kTasks; i++) {
#pragma omp task
        {
            CHECK_EQ(omp_get_level(), 1);
            if (i == kLeader) nested_region(nested_threads);
            __atomic_fetch_add(&outer, 1, __ATOMIC_RELAXED);
        }
    }
    CHECK_EQ(outer, kTasks);
    CHECK_EQ(inner, 4);
}

int main(void) {
    omp_set_max_active_levels(2);
    omp_set_dynamic(0);
    for (int nested_threads = 1; nested_threads <= 3; nested_threads++)
        region(nested_threads);
}
