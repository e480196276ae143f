// SPDX-License-Identifier: Apache-2.0
// flags: -Wno-unused-variable -O0
// env: OMP_NUM_THREADS=2 TEFF_PREEMPT=off
//
// A wait for a lock is not a task scheduling point, however long it takes: no other task runs on
// the waiting thread, so thread-local data keeps its value.
#include "suspended.h"

static omp_lock_t lock;
static struct gate gate;
static int arrived;
static _Thread_local int mine;

__attribute__((noinline)) static void change(void) { mine = 2; }

static void wait_for_some_ms(const int* flag) {
    for (int i = 0; i < 50 && !__atomic_load_n(flag, __ATOMIC_ACQUIRE); ++i)
        usleep(1000);
}

int main(void) {
    omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
    {
        omp_set_lock(&lock);
#pragma omp task untied
        {
            gate_pass(&gate, TASKWAIT);
            change();
        }
        wait_for_some_ms(&gate.begun);
#pragma omp task
        {
            mine = 1;
            __atomic_store_n(&arrived, 1, __ATOMIC_RELEASE);
            omp_set_lock(&lock);
            omp_unset_lock(&lock);
            CHECK_EQ(mine, 1);
        }
        wait_for_some_ms(&arrived);
        const int suspended = __atomic_load_n(&gate.begun, __ATOMIC_ACQUIRE);
        if (suspended) gate_open(&gate);
        usleep(200000);
        omp_unset_lock(&lock);
        if (!suspended) gate_open(&gate);
    }
    return 0;
}
