// SPDX-License-Identifier: Apache-2.0
//
// Threads that do a third of their work while they hold a lock. KIND: 1 is a lock, 2 a nestable
// lock that is taken twice, 3 a critical construct.

#include "truth.h"

#ifndef KIND
#define KIND 1
#endif

static omp_lock_t lock;
static omp_nest_lock_t nest_lock;

static void hold(int64_t i) {
    switch (KIND) {
    case 1:
        omp_set_lock(&lock);
        grain(HOLD, G, i, 0);
        omp_unset_lock(&lock);
        break;
    case 2:
        omp_set_nest_lock(&nest_lock);
        omp_set_nest_lock(&nest_lock);
        grain(HOLD, G, i, 0);
        omp_unset_nest_lock(&nest_lock);
        omp_unset_nest_lock(&nest_lock);
        break;
    default:
#pragma omp critical
        grain(HOLD, G, i, 0);
    }
}

int main(int count, char** words) {
    truth_begin(count, words, 1);
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest_lock);
    mark(REGION_BEGINS);
#pragma omp parallel
    for (int64_t i = 0; i < N / 3 / omp_get_num_threads(); i++) {
        grain(GRAIN, 2 * G, i, 0);
        hold(i);
    }
    mark(REGION_ENDS);
    return truth_end();
}
