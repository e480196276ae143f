// SPDX-License-Identifier: Apache-2.0
//
// A creator yields once, and then sets the flag that two tasks wait for while they yield to each
// other. These tasks do not keep the creator from continuing. The two tasks are parent and child in
// one case, untied siblings in the other.
#include "check.h"

enum { ROUNDS = 50 };

static int flag;

static void yield_until_set(void) {
    while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE)) {
#pragma omp taskyield
    }
}

static void parent_and_child(void) {
#pragma omp task
    {
#pragma omp task
        yield_until_set();
        yield_until_set();
    }
}

static void siblings(void) {
    for (int i = 0; i < 2; i++) {
#pragma omp task untied
        yield_until_set();
    }
}

int main(void) {
    for (int round = 0; round < ROUNDS; round++) {
        flag = 0;
#pragma omp parallel
#pragma omp single
        {
            if (round % 2 == 0) parent_and_child();
            else siblings();
#pragma omp taskyield
            __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
#pragma omp taskwait
        }
    }
    return 0;
}
