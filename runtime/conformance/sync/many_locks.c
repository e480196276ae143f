// SPDX-License-Identifier: Apache-2.0
//
// Tests an array of adjacent locks, as in programs that have one lock for each of their objects.
#include "check.h"

enum { LOCKS = 5000 };
static omp_lock_t locks[LOCKS];
static int count[LOCKS];

int main(void) {
    int size = omp_get_max_threads();
    omp_set_dynamic(0);
    for (int i = 0; i < LOCKS; i++)
        omp_init_lock(&locks[i]);
#pragma omp parallel
    for (int i = 0; i < LOCKS; i++) {
        int other = (i * 7 + 1) % LOCKS;
        // Two at once, always in the same order.
        int low = i < other ? i : other, high = i < other ? other : i;
        omp_set_lock(&locks[low]);
        if (high != low) omp_set_lock(&locks[high]);
        count[low]++;
        count[high]++;
        if (high != low) omp_unset_lock(&locks[high]);
        omp_unset_lock(&locks[low]);
    }
    long total = 0;
    for (int i = 0; i < LOCKS; i++) {
        total += count[i];
        omp_destroy_lock(&locks[i]);
    }
    CHECK_EQ(total, 2L * LOCKS * size);
}
