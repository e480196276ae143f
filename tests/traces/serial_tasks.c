// SPDX-License-Identifier: Apache-2.0
// Tasks outside any parallel region belong to the initial task, which runs them at once.
//
// graph:
//   initial
//     task outside inline *2
//     implicit region *T

#include <omp.h>

int count, done[64];

int main(void) {
    for (int i = 0; i < 2; ++i) {
#pragma omp task // [outside]
        ++count;
    }
#pragma omp taskwait
#pragma omp parallel // [region]
    done[omp_get_thread_num()] = 1;
    return count == 2 && done[0] ? 0 : 1;
}
