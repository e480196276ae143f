// SPDX-License-Identifier: Apache-2.0
//
// Runs a chain of 2,000 tasks, each of which waits for its only child.
#include "check.h"

static int deepest;

static void descend(int depth) {
#pragma omp atomic write
    deepest = depth;
    if (depth == 2000) return;
    int child_ran = 0;
#pragma omp task shared(child_ran) firstprivate(depth)
    {
        descend(depth + 1);
        child_ran = 1;
    }
#pragma omp taskwait
    CHECK_EQ(child_ran, 1);
}

int main(void) {
#pragma omp parallel
#pragma omp single
    descend(1);
    CHECK_EQ(deepest, 2000);
}
