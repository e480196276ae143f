// SPDX-License-Identifier: Apache-2.0
//
// Untied tasks with waits, yields and children compute the expected result.
#include "check.h"

static long tree(int depth) {
    long left = 0, right = 0;
    if (depth == 0) return 1;
#pragma omp task untied shared(left)
    left = tree(depth - 1);
#pragma omp taskyield
#pragma omp task untied shared(right)
    right = tree(depth - 1);
#pragma omp taskwait
    return left + right;
}

int main(void) {
    long leaves = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task untied shared(leaves)
        leaves = tree(9);
    }
    CHECK_EQ(leaves, 512);
}
