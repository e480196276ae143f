// SPDX-License-Identifier: Apache-2.0
// flags: -Wno-unused-variable -O0
// env: OMP_STACKSIZE=64k TEFF_DEQUE_LIMIT=16384
// stock: fails, a thread that waits starts no unrelated task
//
// 10,000 tasks wait at the same time, and then all continue. Their creator's queue is long enough
// for all of them: otherwise the creator would run a task itself, and wait inside it.
#include "suspended.h"

#ifdef __SANITIZE_THREAD__ // which keeps a record of its own for each stack
enum { TASKS = 500 };
#else
enum { TASKS = 10000 };
#endif

static struct gate gates[TASKS];
static int waiting, passed;

int main(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp task untied
        {
            yield_until(&waiting, TASKS);
            CHECK_EQ(passed, 0);
            for (int i = 0; i < TASKS; i++)
                gate_open(&gates[i]);
        }
        for (int i = 0; i < TASKS; i++) {
#pragma omp task untied
            {
                __atomic_fetch_add(&waiting, 1, __ATOMIC_RELEASE);
                gate_pass(&gates[i], i % WAITS);
                __atomic_fetch_add(&passed, 1, __ATOMIC_RELAXED);
            }
        }
    }
    CHECK_EQ(passed, TASKS);
}
