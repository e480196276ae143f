// SPDX-License-Identifier: Apache-2.0
//
// One thread prepares all tasks, and this takes longer than running them.

#include "defect.h"

enum { TASKS = 4000 };

int main(void) {
    static uint64_t part[TASKS];
#pragma omp parallel
#if CURED
#pragma omp for
    for (int i = 0; i < TASKS; i++) {
        uint64_t prepared = work(30000);
#pragma omp task
        part[i] = prepared + work(10000);
    }
#else
#pragma omp single // HERE
    for (int i = 0; i < TASKS; i++) {
        uint64_t prepared = work(30000);
#pragma omp task   // HERE
        part[i] = prepared + work(10000);
    }
#endif
    return done(part[0]);
}
