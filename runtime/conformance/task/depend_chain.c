// SPDX-License-Identifier: Apache-2.0
//
// Runs a chain of 5,000 tasks through one address, and 500 diamonds in a row.
#include "check.h"

static void chain(void) {
    int last = 0;
    for (int i = 1; i <= 5000; i++) {
#pragma omp task depend(inout : last) shared(last)
        {
            CHECK_EQ(last, i - 1);
            last = i;
        }
    }
#pragma omp taskwait
    CHECK_EQ(last, 5000);
}

static void diamonds(void) {
    int top = 0, left = 0, right = 0;
    for (int i = 1; i <= 500; i++) {
#pragma omp task depend(out : top) depend(in : left, right) shared(top, left, right)
        {
            CHECK_EQ(left, i - 1);
            CHECK_EQ(right, i - 1);
            top = i;
        }
#pragma omp task depend(in : top) depend(out : left) shared(top, left)
        left = top;
#pragma omp task depend(in : top) depend(out : right) shared(top, right)
        right = top;
    }
#pragma omp taskwait
    CHECK(left == 500 && right == 500);
}

int main(void) {
#pragma omp parallel
#pragma omp single
    {
        chain();
        diamonds();
    }
}
