// SPDX-License-Identifier: Apache-2.0
//
// Work-sharing constructs outside any region: a team of one runs everything.
#include "check.h"

int main(void) {
    int sum = 0, order = 0, sections = 0, copied = 0;
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < 100; i++)
        sum += i;
#pragma omp for schedule(runtime) ordered
    for (unsigned long long i = 0; i < 20; i++) {
#pragma omp ordered
        CHECK_EQ(order++, i);
    }
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < 100; i++)
        sum += i;
#pragma omp sections
    {
        sections += 1;
#pragma omp section
        sections += 10;
    }
#pragma omp single copyprivate(copied)
    copied = 5;
#pragma omp barrier
#pragma omp critical
    copied++;
#pragma omp task shared(copied)
    copied++;
#pragma omp taskwait
    CHECK_EQ(sum, 2 * 4950);
    CHECK_EQ(order, 20);
    CHECK_EQ(sections, 11);
    CHECK_EQ(copied, 7);
}
