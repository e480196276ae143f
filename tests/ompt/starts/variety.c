// SPDX-License-Identifier: Apache-2.0
// Uses a little of each construct that has events, in serial parts and in regions.

#include <omp.h>

static int sum;

static void work(int depth) {
#pragma omp taskgroup
    {
#pragma omp task depend(inout : sum)
#pragma omp atomic
        ++sum;
#pragma omp task depend(inout : sum) if (0)
#pragma omp critical
        ++sum;
    }
#pragma omp taskwait
#pragma omp parallel num_threads(2) if (depth < 2)
    {
#pragma omp for schedule(dynamic) ordered
        for (int i = 0; i < 4; ++i) {
#pragma omp ordered
            ++sum;
        }
#pragma omp sections
        {
#pragma omp atomic
            ++sum;
#pragma omp section
#pragma omp atomic
            ++sum;
        }
#pragma omp single
        if (depth < 2) work(depth + 1);
    }
}

int main(void) {
    omp_lock_t lock;
    omp_nest_lock_t nest;
    omp_set_max_active_levels(3);
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
    for (int round = 0; round < 2; ++round) {
        work(0);
        omp_set_lock(&lock);
        omp_unset_lock(&lock);
        omp_set_nest_lock(&nest);
        omp_set_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
#pragma omp target map(tofrom : sum)
        work(1);
#pragma omp teams
        work(1);
    }
    omp_destroy_nest_lock(&nest);
    omp_destroy_lock(&lock);
    return 0;
}
