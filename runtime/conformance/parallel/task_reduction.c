// SPDX-License-Identifier: Apache-2.0
//
// Tests reduction(task, ...) on a region: tasks of all threads add to the reduction.
#include "check.h"

int main(void) {
    int size = omp_get_max_threads();
    long sum = 1000, product = 1;
    omp_set_dynamic(0);
#pragma omp parallel reduction(task, + : sum) reduction(task, * : product)
    {
        for (int i = 1; i <= 50; i++) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
            sum += i;
        }
        if (omp_get_thread_num() == 0) {
#pragma omp task in_reduction(* : product)
            product *= 7;
        }
        sum += 1;
    }
    CHECK_EQ(sum, 1000 + size * (50L * 51 / 2 + 1));
    CHECK_EQ(product, 7);
}
