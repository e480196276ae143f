// SPDX-License-Identifier: Apache-2.0
// flags: -Wno-unused-variable -O0
// stock: fails, a thread that waits starts no unrelated task
//
// Tasks wait before, in and after regions that they start, while other tasks of the outer region
// wait on the same thread.
#include "suspended.h"

enum { TASKS = 12 };

static struct gate outer[TASKS][2], inner[TASKS];
static int passed;

static void nested_region(int i) {
    int arrived = 0;
#pragma omp parallel num_threads(2) shared(arrived)
    {
        __atomic_fetch_add(&arrived, 1, __ATOMIC_RELAXED);
#pragma omp single
        {
#pragma omp task untied
            gate_open(&inner[i]);
#pragma omp task untied
            {
                gate_pass(&inner[i], i % WAITS);
                __atomic_fetch_add(&passed, 1, __ATOMIC_RELAXED);
            }
        }
        CHECK_EQ(omp_get_level(), 2);
    }
    CHECK_EQ(arrived, 2);
}

int main(void) {
    omp_set_max_active_levels(2);
    omp_set_dynamic(0);
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < TASKS; i++) {
        for (int k = 0; k < 2; k++) {
#pragma omp task untied
            gate_open(&outer[i][k]);
        }
#pragma omp task untied
        {
            gate_pass(&outer[i][0], i % WAITS);
            nested_region(i);
            gate_pass(&outer[i][1], (i + 1) % WAITS);
            CHECK_EQ(omp_get_level(), 1);
            __atomic_fetch_add(&passed, 1, __ATOMIC_RELAXED);
        }
    }
    CHECK_EQ(passed, 2 * TASKS);
}
