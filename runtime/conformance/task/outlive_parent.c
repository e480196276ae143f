// SPDX-License-Identifier: Apache-2.0
//
// Tasks whose parents end without waiting for them still run before the barrier, with their data
// intact.
#include "check.h"

enum { PARENTS = 100, CHILDREN = 5 };

int main(void) {
    int count = 0;
    long sum = 0;
#pragma omp parallel
#pragma omp single nowait
    for (int parent = 0; parent < PARENTS; parent++) {
#pragma omp task shared(count, sum)
        for (int child = 0; child < CHILDREN; child++) {
            long data[16];
            for (int i = 0; i < 16; i++)
                data[i] = parent * 100 + child;
#pragma omp task firstprivate(data) shared(count, sum)
            {
                for (int i = 0; i < 16; i++)
                    CHECK_EQ(data[i], data[0]);
#pragma omp task firstprivate(data) shared(sum)
                {
#pragma omp atomic
                    sum += data[15];
                }
#pragma omp atomic
                count++;
            }
        }
    }
    CHECK_EQ(count, PARENTS * CHILDREN);
    CHECK_EQ(sum, 100L * CHILDREN * (PARENTS * (PARENTS - 1) / 2) + PARENTS * 10);
}
