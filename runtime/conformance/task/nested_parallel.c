// SPDX-License-Identifier: Apache-2.0
//
// Tasks start regions of their own, which create tasks.
#include "check.h"

enum { TASKS = 12 };

static int region_in_task(int size) {
    int sum = 0, members = 0;
#pragma omp parallel num_threads(size) shared(sum, members)
    {
        CHECK_EQ(omp_get_num_threads(), size);
#pragma omp atomic
        members++;
#pragma omp single
        for (int i = 1; i <= 20; i++) {
#pragma omp task shared(sum)
            {
#pragma omp atomic
                sum += i;
            }
        }
        CHECK_EQ(sum, 210);
    }
    CHECK_EQ(members, size);
    return sum;
}

int main(void) {
    int total = 0;
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(omp_get_max_threads() < 4 ? omp_get_max_threads() : 4)
#pragma omp single
    for (int i = 0; i < TASKS; i++) {
#pragma omp task shared(total)
        {
            int me = omp_get_thread_num(), size = omp_get_num_threads();
            int sum = region_in_task(1 + i % 3);
            CHECK_EQ(omp_get_thread_num(), me);
            CHECK_EQ(omp_get_num_threads(), size);
            CHECK_EQ(omp_get_level(), 1);
#pragma omp atomic
            total += sum;
        }
    }
    CHECK_EQ(total, TASKS * 210);
}
