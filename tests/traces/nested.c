// SPDX-License-Identifier: Apache-2.0
// Each member of a region starts a region, and each member of these inner regions creates a task.
//
// env: OMP_MAX_ACTIVE_LEVELS=2
// graph:
//   initial
//     implicit outer *T
//       implicit inner *2
//         task task

#include <omp.h>

int count, threads, inner_regions[64];

int main(void) {
#pragma omp parallel // [outer]
    {
#pragma omp single
        threads = omp_get_num_threads();
#pragma omp parallel num_threads(2) // [inner]
        {
#pragma omp task // [task]
#pragma omp atomic
            ++count;
#pragma omp taskwait
        }
        inner_regions[omp_get_thread_num()] = 1; // not a tail call: the region returns to this function
    }
    return count == 2 * threads && inner_regions[threads - 1] ? 0 : 1;
}
