// SPDX-License-Identifier: Apache-2.0
// clang: it passes a null address for a list item; libomp ends by an assertion
//
// Tests task_reduction on taskgroups and in_reduction on tasks: with nested groups, with
// descendants that are not children, and with arrays.
#include "check.h"

static void add_in_tree(int depth, long* sum_address) {
    // in_reduction finds the group's item by the address of the original variable.
    long* sum = sum_address;
    if (depth == 0) return;
    for (int i = 0; i < 2; i++) {
#pragma omp task in_reduction(+ : sum[ : 1])
        {
            sum[0] += depth;
        }
#pragma omp task firstprivate(sum_address)
        add_in_tree(depth - 1, sum_address);
    }
}

int main(void) {
    long sum = 1, inner = 0, items[300] = {0};
#pragma omp parallel
#pragma omp single
    for (int round = 1; round <= 20; round++) {
#pragma omp taskgroup task_reduction(+ : sum, items)
        {
            add_in_tree(4, &sum);
            for (int i = 0; i < 30; i++) {
#pragma omp task in_reduction(+ : items) firstprivate(i)
                for (int j = 0; j < 300; j++)
                    items[j] += i;
            }
#pragma omp taskgroup task_reduction(+ : inner)
            {
#pragma omp task in_reduction(+ : inner, sum)
                {
                    inner += 1;
                    sum += 100;
                }
            }
            CHECK_EQ(inner, round);
        }
        // depth 4..1: 2 * 4 + 4 * 3 + 8 * 2 + 16 * 1 = 52
        CHECK_EQ(sum, 1 + round * (52 + 100));
        CHECK_EQ(items[299], 435L * round);
    }
}
