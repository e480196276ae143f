// SPDX-License-Identifier: Apache-2.0
// env: OMP_MAX_TASK_PRIORITY=100
//
// Priorities within and beyond the limit are accepted; every task runs once. Order is a hint, so it
// is not checked.
#include "check.h"

enum { TASKS = 50 };

int main(void) {
    int order[TASKS], next = 0, count = 0;
    CHECK_EQ(omp_get_max_task_priority(), 100);
#pragma omp parallel num_threads(2)
    {
#pragma omp single nowait
        {
            for (int i = 0; i < TASKS; i++) {
#pragma omp task priority(i * 3 % 1000) shared(order, next, count)
                {
                    int at;
#pragma omp atomic capture
                    at = next++;
                    order[at] = i;
#pragma omp atomic
                    count++;
                }
            }
        }
    }
    CHECK_EQ(count, TASKS);
    int seen[TASKS] = {0};
    for (int i = 0; i < TASKS; i++)
        seen[order[i]]++;
    for (int i = 0; i < TASKS; i++)
        CHECK_EQ(seen[i], 1);
}
