// SPDX-License-Identifier: Apache-2.0
//
// A recursion whose cutoff has no effect: its depth is never counted.

#include "defect.h"

enum { CUTOFF = 5 };

static uint64_t tree(int n, int depth) {
    uint64_t left, right;
    if (n < 2) return work(60) & 1;
    if (depth >= CUTOFF) return tree(n - 1, depth) + tree(n - 2, depth);
    int next = CURED ? depth + 1 : depth;
#pragma omp task shared(left) // HERE
    left = tree(n - 1, next);
#pragma omp task shared(right) // HERE
    right = tree(n - 2, next);
#pragma omp taskwait
    return left + right;
}

int main(void) {
    uint64_t result = 0;
#pragma omp parallel
#pragma omp single
    result = tree(25, 0);
    return done(result);
}
