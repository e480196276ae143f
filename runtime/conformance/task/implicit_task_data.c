// SPDX-License-Identifier: Apache-2.0
//
// threadprivate data, thread number and ICVs in a tied task stay the same over its waits.
#include "check.h"

static int mark;
#pragma omp threadprivate(mark)

static int leaf_count;

static void work(int depth) {
    int me = omp_get_thread_num();
    int* my_mark = &mark;
    if (depth == 0) {
#pragma omp atomic
        leaf_count++;
        return;
    }
    omp_set_num_threads(depth + 1);
    for (int i = 0; i < 3; i++) {
#pragma omp task
        {
            CHECK_EQ(omp_get_max_threads(), depth + 1); // inherited from the task that made it
            work(depth - 1);
        }
    }
#pragma omp taskwait
    CHECK_EQ(omp_get_thread_num(), me);
    CHECK(&mark == my_mark);
    CHECK_EQ(mark, me);
    CHECK_EQ(omp_get_max_threads(), depth + 1);
}

int main(void) {
    omp_set_dynamic(0);
#pragma omp parallel
    {
        mark = omp_get_thread_num();
#pragma omp barrier
#pragma omp single
        work(5);
    }
    CHECK_EQ(leaf_count, 243);
}
