// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2 TEFF_PREEMPT=off
//
// A wait for a lock is not a task scheduling point, however long it takes: no other task runs on
// the waiting thread, so thread-local data keeps its value.
#include "check.h"

static omp_lock_t lock;
static omp_event_handle_t event;
static int begun, arrived;
static _Thread_local int mine;

__attribute__((noinline)) static void change(void) { mine = 2; }

static void suspend(void) {
    omp_event_handle_t own;
#pragma omp task detach(own)
    {
        event = own;
        __atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
    }
#pragma omp taskwait
}

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
            suspend();
            change();
        }
        wait_for_some_ms(&begun);
#pragma omp task
        {
            mine = 1;
            __atomic_store_n(&arrived, 1, __ATOMIC_RELEASE);
            omp_set_lock(&lock);
            omp_unset_lock(&lock);
            CHECK_EQ(mine, 1);
        }
        wait_for_some_ms(&arrived);
        if (__atomic_load_n(&begun, __ATOMIC_ACQUIRE)) omp_fulfill_event(event);
        usleep(200000);
        omp_unset_lock(&lock);
        if (!__atomic_load_n(&begun, __ATOMIC_ACQUIRE)) {
            check_wait_for(&begun, 1);
            omp_fulfill_event(event);
        }
    }
    return 0;
}
