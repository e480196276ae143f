// SPDX-License-Identifier: Apache-2.0
// env: OMP_CANCELLATION=false
//
// With cancellation off, cancel and cancellation point do nothing.
#include "check.h"

int main(void) {
    int size = omp_get_max_threads(), count = 0, iterations = 0, sections = 0, tasks = 0;
    omp_set_dynamic(0);
    CHECK(!omp_get_cancellation());
#pragma omp parallel
    {
#pragma omp cancel parallel
#pragma omp cancellation point parallel
#pragma omp atomic
        count++;
#pragma omp for
        for (int i = 0; i < 100; i++) {
#pragma omp cancel for
#pragma omp atomic
            iterations++;
        }
#pragma omp sections
        {
            {
#pragma omp cancel sections
#pragma omp atomic
                sections++;
            }
#pragma omp section
            {
#pragma omp cancellation point sections
#pragma omp atomic
                sections++;
            }
        }
#pragma omp taskgroup
        for (int i = 0; i < 10; i++) {
#pragma omp task shared(tasks)
            {
#pragma omp cancel taskgroup
#pragma omp atomic
                tasks++;
            }
        }
    }
    CHECK_EQ(count, size);
    CHECK_EQ(iterations, 100);
    CHECK_EQ(sections, 2);
    CHECK_EQ(tasks, 10 * size);
}
