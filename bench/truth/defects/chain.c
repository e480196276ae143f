// SPDX-License-Identifier: Apache-2.0
//
// Tasks that depend on one variable, although each task writes a different variable.

#include "defect.h"

enum { TASKS = 600 };

int main(void) {
    static uint64_t part[TASKS], all;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < TASKS; i++) {
        uint64_t* needs = CURED ? &part[i] : &all;
        (void)needs;
#pragma omp task depend(inout : needs[0]) // HERE
        part[i] = work(200000);
    }
    return done(part[0]);
}
