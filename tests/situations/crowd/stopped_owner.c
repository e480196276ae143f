// SPDX-License-Identifier: Apache-2.0
//
// Situation: a thread is stopped right after it created 500 tasks, or in its first chunk of a loop; meanwhile the others must do all the rest
// Catches: a runtime in which work that was handed to a thread, or batched for it, waits for that thread
// env: OMP_NUM_THREADS=4
#include "crowd/waits.h"

#include <omp.h>
#include <stdatomic.h>

enum { kTasks = 500, kIterations = 400 };

// Waits, as a stopped thread does, until the others have done their share. False: they have not in
// five seconds.
static int wait_for(atomic_int* done, int all) {
    for (int ms = 0; ms < 5000; ms += 10) {
        if (atomic_load(done) >= all) return 1;
        waits_sleep_ms(10);
    }
    return 0;
}

static void tasks_of_a_stopped_creator(void) {
    atomic_int done = 0;
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(done)
            atomic_fetch_add(&done, 1);
        }
        if (!wait_for(&done, kTasks)) WRONG("%d of %d tasks run while their creator is stopped", atomic_load(&done), kTasks);
    }
}

static void chunks_of_a_stopped_member(void) {
    atomic_int done = 0, first = 1;
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < kIterations; ++i) {
        if (atomic_exchange(&first, 0) && !wait_for(&done, kIterations - 1))
            WRONG("%d of %d iterations run while a member is stopped", atomic_load(&done), kIterations - 1);
        atomic_fetch_add(&done, 1);
    }
}

static void successors_of_a_stopped_creator(void) {
    atomic_int done = 0;
    static char row[kTasks];
#pragma omp parallel
#pragma omp single
    {
        for (int i = 1; i < kTasks; ++i) {
#pragma omp task depend(in : row[i - 1]) depend(out : row[i]) shared(done)
            {
                row[i] = row[i - 1];
                atomic_fetch_add(&done, 1);
            }
        }
        if (!wait_for(&done, kTasks - 1)) WRONG("%d of %d dependent tasks run while their creator is stopped", atomic_load(&done), kTasks - 1);
    }
}

int main(void) {
    for (int round = 0; round < 5; ++round) {
        tasks_of_a_stopped_creator();
        chunks_of_a_stopped_member();
        successors_of_a_stopped_creator();
    }
    return 0;
}
