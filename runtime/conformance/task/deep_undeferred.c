// SPDX-License-Identifier: Apache-2.0
//
// Runs a chain of 2,000 undeferred tasks, and a chain of 2,000 tasks that are included in a final
// task.
#include "check.h"

static int count;

static void undeferred(int depth) {
    count++;
    if (depth == 0) return;
#pragma omp task if (0)
    undeferred(depth - 1);
}

static void included(int depth) {
    CHECK(omp_in_final());
    count++;
    if (depth == 0) return;
#pragma omp task
    included(depth - 1);
}

int main(void) {
#pragma omp parallel
#pragma omp single
    {
        undeferred(2000);
        CHECK_EQ(count, 2001);
#pragma omp task final(1)
        included(2000);
#pragma omp taskwait
        CHECK_EQ(count, 4002);
    }
}
