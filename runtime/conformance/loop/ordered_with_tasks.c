// SPDX-License-Identifier: Apache-2.0
// env: TEFF_TSC=relaxed
//
// Threads that wait for their turn may run tasks. These tasks wait, open regions and take locks.
// The ordered regions still run in order, each thread resumes its own iteration, and every task
// runs. Some iterations have no ordered region.
#include "check.h"

enum { LOOPS = 20, N = 60 };

static int next, leaves, regions;
static omp_lock_t lock;

static void leaf(void) {
#pragma omp atomic
    leaves++;
}

static void make_tasks(int i) {
#pragma omp task untied firstprivate(i)
    {
#pragma omp task
        leaf();
#pragma omp task
        leaf();
        if (i % 5 == 0) {
#pragma omp taskyield
        }
#pragma omp taskwait
        omp_set_lock(&lock);
        leaf();
        omp_unset_lock(&lock);
        if (i == 7) {
#pragma omp parallel num_threads(2)
#pragma omp single
            {
#pragma omp atomic
                regions++;
            }
        }
    }
}

int main(void) {
    omp_init_lock(&lock);
    for (int loop = 0; loop < LOOPS; loop++) {
        next = 0;
#pragma omp parallel
        {
            const int me = omp_get_thread_num();
            const int dynamic = loop % 2;
            omp_set_schedule(dynamic ? omp_sched_dynamic : omp_sched_static, 1 + loop % 3);
#pragma omp for schedule(runtime) ordered
            for (int i = 0; i < N; i++) {
                make_tasks(i);
                if (i % 7 == 4) continue;
#pragma omp ordered
                {
                    CHECK(next <= i);
                    next = i + 1;
                }
                CHECK_EQ(omp_get_thread_num(), me);
            }
        }
        CHECK_EQ(next, N);
        CHECK_EQ(leaves, (loop + 1) * 3 * N);
        CHECK_EQ(regions, loop + 1);
    }
    omp_destroy_lock(&lock);
    return 0;
}
