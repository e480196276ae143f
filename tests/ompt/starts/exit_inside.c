// SPDX-License-Identifier: Apache-2.0
// Leaves by exit() in a region, with status 7, while the other threads wait at a barrier or in a
// task. Only one thread calls exit: two calls at the same time are undefined behaviour, and one of
// them may end the process while the other is about to finalize.

#include <omp.h>
#include <stdlib.h>

static int leaving;

static void leave(void) {
    if (__atomic_exchange_n(&leaving, 1, __ATOMIC_RELAXED) == 0) exit(7);
}

int main(void) {
#pragma omp parallel
    {
#pragma omp task
        if (omp_get_thread_num() == omp_get_num_threads() - 1) leave();
#pragma omp taskwait
        if (omp_get_thread_num() == 0) leave();
#pragma omp barrier
    }
    return 1;
}
