// SPDX-License-Identifier: Apache-2.0
//
// The bodies of master and masked are run by the threads that the filter names, without a barrier.
#include "check.h"

int main(void) {
    int master = 0, primary = 0, filtered[3] = {0};
#pragma omp parallel
    {
        for (int round = 0; round < 50; round++) {
#pragma omp master
            {
                CHECK_EQ(omp_get_thread_num(), 0);
                master++;
            }
#pragma omp masked
            {
                CHECK_EQ(omp_get_thread_num(), 0);
                primary++;
            }
#pragma omp masked filter(round % 3)
            {
                CHECK_EQ(omp_get_thread_num(), round % 3);
                filtered[round % 3]++;
            }
        }
    }
    CHECK_EQ(master, 50);
    CHECK_EQ(primary, 50);
    for (int i = 0; i < 3; i++) {
        int expected = 50 / 3 + (i < 50 % 3);
        CHECK(filtered[i] == expected || filtered[i] == 0);
    }
    CHECK_EQ(filtered[0], 17);
}
