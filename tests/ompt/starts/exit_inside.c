// SPDX-License-Identifier: Apache-2.0
// Leaves by exit() in a region, with status 7, while the other threads wait at a barrier or in a
// task.

#include <omp.h>
#include <stdlib.h>

int main(void) {
#pragma omp parallel
    {
#pragma omp task
        if (omp_get_thread_num() == omp_get_num_threads() - 1) exit(7);
#pragma omp taskwait
        if (omp_get_thread_num() == 0) exit(7);
#pragma omp barrier
    }
    return 1;
}
