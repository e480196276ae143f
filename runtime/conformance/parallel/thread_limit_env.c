// SPDX-License-Identifier: Apache-2.0
// env: OMP_THREAD_LIMIT=4 OMP_NUM_THREADS=9
//
// OMP_THREAD_LIMIT limits the number of threads that exist at the same time, including the threads
// of nested regions.
#include "check.h"

int main(void) {
    int running = 0, most = 0;
    CHECK_EQ(omp_get_thread_limit(), 4);
    omp_set_max_active_levels(2);
#pragma omp parallel
    {
        CHECK(omp_get_num_threads() <= 4);
#pragma omp parallel num_threads(3)
        {
            int now;
#pragma omp atomic capture
            now = ++running;
#pragma omp critical
            most = now > most ? now : most;
            usleep(1000);
#pragma omp atomic
            running--;
        }
    }
    CHECK(most <= 4);
    CHECK_EQ(running, 0);
}
