// SPDX-License-Identifier: Apache-2.0
// A team waits at barriers. Before them, one task creates a grandchild for which no task waits, and
// one member works longer than the others.
//
// graph:
//   initial
//     implicit region *T
//       task child
//         task grandchild

#include <omp.h>

double values[4];

static double work(int length) {
    volatile double sum = 1;
    for (int i = 0; i < length; ++i)
        sum = sum * 1.5 - sum / 2;
    return sum;
}

int main(void) {
#pragma omp parallel // [region]
    {
        const int self = omp_get_thread_num();
#pragma omp task firstprivate(self) // [child]
        {
#pragma omp task firstprivate(self) // [grandchild]
            values[self] += work(20000);
            values[self] += work(100);
        }
#pragma omp taskwait
        work(1000 * (self + 1));
#pragma omp barrier
        work(1000 * (4 - self));
#pragma omp barrier
        work(100);
    }
    return 0;
}
