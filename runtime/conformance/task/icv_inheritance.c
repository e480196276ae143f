// SPDX-License-Identifier: Apache-2.0
//
// A task has the settings that its parent had at the task's creation. Later settings of the parent,
// of siblings or of the task's own children have no effect, whether or not these tasks have ended.
#include "check.h"

enum { kTasks = 200 };

static int chunk_set(void) {
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    return chunk;
}

static void set_chunk(int chunk) { omp_set_schedule(omp_sched_dynamic, chunk); }

// Its grandchildren may run when it has long ended.
static void family(int i) {
    CHECK_EQ(chunk_set(), i + 1);
    set_chunk(1000 + i);
#pragma omp task firstprivate(i)
    {
        CHECK_EQ(chunk_set(), 1000 + i);
        set_chunk(2000 + i);
#pragma omp task firstprivate(i) if (i % 3)
        {
            CHECK_EQ(chunk_set(), 2000 + i);
            set_chunk(3000 + i);
        }
        CHECK_EQ(chunk_set(), 2000 + i);
    }
    set_chunk(4000 + i);
    if (i % 5 == 0) {
#pragma omp parallel num_threads(2)
        {
            CHECK_EQ(chunk_set(), 4000 + i);
            set_chunk(5000 + i);
#pragma omp task firstprivate(i)
            CHECK_EQ(chunk_set(), 5000 + i);
        }
    }
    CHECK_EQ(chunk_set(), 4000 + i);
}

int main(void) {
    set_chunk(7);
#pragma omp parallel
    {
        CHECK_EQ(chunk_set(), 7);
#pragma omp task
        CHECK_EQ(chunk_set(), 7);
#pragma omp single
        for (int i = 0; i < kTasks; i++) {
            set_chunk(i + 1);
#pragma omp task firstprivate(i)
            family(i);
        }
#pragma omp barrier
#pragma omp task
        CHECK(chunk_set() == 7 || chunk_set() == kTasks);
    }
    CHECK_EQ(chunk_set(), 7);
}
