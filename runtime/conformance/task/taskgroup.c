// SPDX-License-Identifier: Apache-2.0
//
// A taskgroup waits for all descendants that are created in it, also if it is nested or lies inside
// a task. It does not wait for earlier tasks.
#include "check.h"

static void spawn_tree(int depth, int* count) {
#pragma omp atomic
    ++*count;
    if (depth == 0) return;
    for (int i = 0; i < 3; i++) {
#pragma omp task
        spawn_tree(depth - 1, count);
    }
}

int main(void) {
    int outer_total = 0;
#pragma omp parallel
    {
        int mine = 0;
#pragma omp taskgroup
        {
            spawn_tree(2, &mine);
#pragma omp taskgroup
            {
                int inner = 0;
#pragma omp task shared(inner)
                {
#pragma omp taskgroup
                    spawn_tree(3, &inner);
                    CHECK_EQ(inner, 40);
                }
#pragma omp taskwait
                CHECK_EQ(inner, 40);
            }
        }
        CHECK_EQ(mine, 13);
#pragma omp taskgroup
        ;
#pragma omp atomic
        outer_total += mine;
    }
    CHECK_EQ(outer_total, 13 * omp_get_max_threads());
}
