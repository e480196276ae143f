// SPDX-License-Identifier: Apache-2.0
//
// A nested team shares loops, barriers and reductions among its own threads only.
#include "check.h"

enum { N = 1000 };

int main(void) {
    int outer_size = omp_get_max_threads() < 4 ? omp_get_max_threads() : 4;
    long totals[4] = {0};
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(outer_size)
    {
        int team = omp_get_thread_num();
        for (int round = 0; round < 5; round++) {
            long sum = 0;
            int arrived = 0;
#pragma omp parallel num_threads(team + 1) reduction(+ : sum) shared(arrived)
            {
#pragma omp for schedule(dynamic, 7)
                for (int i = 0; i < N; i++)
                    sum += i;
#pragma omp atomic
                arrived++;
#pragma omp barrier
                CHECK_EQ(arrived, team + 1);
            }
            CHECK_EQ(sum, (long)N * (N - 1) / 2);
            totals[team] += sum;
        }
#pragma omp barrier
        CHECK_EQ(totals[(team + 1) % outer_size], 5L * N * (N - 1) / 2);
    }
}
