// SPDX-License-Identifier: Apache-2.0
// clang: it refuses task reductions of scope
//
// Tests scope: a barrier, private copies and reductions for the whole team; also with task
// reductions.
#include "check.h"

int main(void) {
    int size = omp_get_max_threads();
    int sum = 0, task_sum = 0, arrived = 0;
    omp_set_dynamic(0);
#pragma omp parallel
    {
#pragma omp scope reduction(+ : sum)
        {
            sum += omp_get_thread_num() + 1;
#pragma omp atomic
            arrived++;
        }
        CHECK_EQ(arrived, size);
        CHECK_EQ(sum, size * (size + 1) / 2);
#pragma omp scope reduction(task, + : task_sum)
        {
            task_sum += 1;
            for (int i = 0; i < 5; i++) {
#pragma omp task in_reduction(+ : task_sum)
                task_sum += 2;
            }
        }
        CHECK_EQ(task_sum, size * 11);
#pragma omp scope nowait reduction(+ : sum)
        sum += 1;
#pragma omp barrier
        CHECK_EQ(sum, size * (size + 1) / 2 + size);
    }
}
