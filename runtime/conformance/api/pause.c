// SPDX-License-Identifier: Apache-2.0
//
// omp_pause_resource gives the workers back; later regions work again.
#include "check.h"

static int count_team(void) {
    int size = 0;
#pragma omp parallel reduction(+ : size)
    size++;
    return size;
}

int main(void) {
    omp_set_dynamic(0);
    for (int round = 0; round < 5; round++) {
        CHECK_EQ(count_team(), omp_get_max_threads());
        CHECK_EQ(omp_pause_resource_all(omp_pause_soft), 0);
        CHECK_EQ(count_team(), omp_get_max_threads());
        CHECK_EQ(omp_pause_resource(omp_pause_hard, omp_get_initial_device()), 0);
    }
#pragma omp parallel num_threads(2)
    CHECK(omp_pause_resource_all(omp_pause_soft) != 0);
}
