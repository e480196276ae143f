// SPDX-License-Identifier: Apache-2.0
//
// Situation: one member of a team is asleep while the others wait for it: at a barrier, single, lock, critical, ordered, doacross, taskwait, taskgroup
// Catches: a runtime in which a waiting thread spins for as long as it waits
// env: OMP_NUM_THREADS=4
#include "crowd/waits.h"

#include <omp.h>
#include <stdatomic.h>

enum { kWait_ms = 300 };

// Member 0 comes last, and looks at what the others need meanwhile.
static void be_late(void) {
    if (omp_get_thread_num() == 0) waits_while_others_wait_ms(kWait_ms);
}

static void barrier(void) {
#pragma omp parallel
    {
        be_late();
#pragma omp barrier
    }
}

static void end_of_region(void) {
#pragma omp parallel
    if (omp_get_thread_num() == 1) waits_while_others_wait_ms(kWait_ms);
}

static void copyprivate(void) {
    int value = 0;
#pragma omp parallel firstprivate(value)
    {
#pragma omp single copyprivate(value)
        {
            waits_while_others_wait_ms(kWait_ms);
            value = 7;
        }
        CHECK_EQ(value, 7);
    }
}

static void lock(void) {
    omp_lock_t one;
    omp_init_lock(&one);
    omp_set_lock(&one);
#pragma omp parallel
    {
        if (omp_get_thread_num() == 0) {
            waits_while_others_wait_ms(kWait_ms);
        } else {
            omp_set_lock(&one);
        }
        omp_unset_lock(&one);
    }
    omp_destroy_lock(&one);
}

static void critical(void) {
    atomic_int first = 1;
#pragma omp parallel
#pragma omp critical
    if (atomic_exchange(&first, 0)) waits_while_others_wait_ms(kWait_ms);
}

static void ordered(void) {
#pragma omp parallel for ordered schedule(static, 1)
    for (int i = 0; i < 4; ++i) {
        if (i == 0) waits_while_others_wait_ms(kWait_ms);
#pragma omp ordered
        {
        }
    }
}

static void doacross(void) {
#pragma omp parallel for ordered(1) schedule(static, 1)
    for (int i = 0; i < 4; ++i) {
        if (i == 0) waits_while_others_wait_ms(kWait_ms);
#pragma omp ordered depend(sink : i - 1)
#pragma omp ordered depend(source)
    }
}

// Somebody runs the task, its creator waits for it, the others wait at the end of the region.
static void task_waits(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        waits_while_others_wait_ms(kWait_ms);
#pragma omp taskwait
#pragma omp taskgroup
        {
#pragma omp task
            waits_while_others_wait_ms(kWait_ms);
        }
    }
}

int main(void) {
    barrier();
    end_of_region();
    copyprivate();
    lock();
    critical();
    ordered();
    doacross();
    task_waits();
    waits_note(kWait_ms);
    return 0;
}
