// SPDX-License-Identifier: Apache-2.0
//
// omp_pause_resource ends the workers, and their threadprivate data with them; later regions work
// again.
#include "check.h"

static int mark;
#pragma omp threadprivate(mark)

static int count_team(void) {
    int size = 0;
#pragma omp parallel reduction(+ : size)
    size++;
    return size;
}

static void check_new_threads(void) {
#pragma omp parallel
    {
        CHECK(omp_get_thread_num() == 0 || mark == 0);
        mark = 1;
    }
}

int main(void) {
    omp_set_dynamic(0);
    for (int round = 0; round < 5; round++) {
        CHECK_EQ(count_team(), omp_get_max_threads());
        CHECK_EQ(omp_pause_resource_all(omp_pause_soft), 0);
        check_new_threads();
        CHECK_EQ(count_team(), omp_get_max_threads());
        CHECK_EQ(omp_pause_resource(omp_pause_hard, omp_get_initial_device()), 0);
        check_new_threads();
        CHECK_EQ(omp_pause_resource_all(omp_pause_hard), 0);
    }
#pragma omp parallel num_threads(2)
    CHECK(omp_pause_resource_all(omp_pause_soft) != 0);
}
