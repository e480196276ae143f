// SPDX-License-Identifier: Apache-2.0
//
// Situation: a taskloop of 200,000 tasks of 0.3 us, on 1 and on 2 threads
// Catches: a runtime that wakes or blocks a thread for each task, which costs several times the processor time of one thread
// limit: 60
#include "programs/speedup.h"

static double numbers[200000];

static void loop(void) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < 200000; ++i) {
        double x = i;
        for (int k = 0; k < 100; ++k)
            x = x * 0.999 + 1.0;
        numbers[i] = x;
    }
    CHECK(numbers[0] > 90 && numbers[199999] > 90);
}

int main(void) {
    speedup_judge(loop, 4.0);
    return 0;
}
