// SPDX-License-Identifier: Apache-2.0
//
// flush publishes plain data ahead of an atomic flag, in a chain through all threads.
#include "check.h"

int main(void) {
    int size = omp_get_max_threads(), turn = 0;
    long message = 0;
    omp_set_dynamic(0);
#pragma omp parallel
    for (int round = 0; round < 20; round++) {
        int me = omp_get_thread_num(), seen;
        do {
            sched_yield();
#pragma omp atomic read acquire
            seen = turn;
        } while (seen != round * size + me);
#pragma omp flush
        CHECK_EQ(message, seen);
        message++;
#pragma omp flush
#pragma omp atomic write release
        turn = seen + 1;
    }
    CHECK_EQ(message, 20L * size);
}
