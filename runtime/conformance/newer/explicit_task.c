// SPDX-License-Identifier: Apache-2.0
// stock: fails, it has omp_in_explicit_task only from GCC 13 on
//
// omp_in_explicit_task is true in tasks of task and taskloop constructs, deferred or not, and false
// in implicit tasks.
#include "newer.h"

int main(void) {
    int (*in_task)(void) = newer_symbol("omp_in_explicit_task", "OMP_5.2");
    int32_t (*in_task_)(void) = newer_symbol("omp_in_explicit_task_", "OMP_5.2");
    CHECK_EQ(in_task(), 0);
#pragma omp task
    CHECK(in_task() && in_task_());
#pragma omp parallel
    {
        CHECK_EQ(in_task(), 0);
#pragma omp task
        {
            CHECK(in_task());
#pragma omp task if (0)
            CHECK(in_task());
#pragma omp parallel num_threads(2)
            CHECK_EQ(in_task_(), 0);
        }
#pragma omp for
        for (int i = 0; i < 10; i++)
            CHECK_EQ(in_task(), 0);
#pragma omp single
#pragma omp taskloop final(1)
        for (int i = 0; i < 10; i++)
            CHECK(in_task());
        CHECK_EQ(in_task(), 0);
    }
}
