// SPDX-License-Identifier: Apache-2.0
//
// GOMP_parallel_loop_static is exported, though GCC splits static loops itself and calls only
// GOMP_parallel.
#include "check.h"

enum { N = 600 };

void GOMP_parallel_loop_static(void (*)(void*), void*, unsigned, long, long, long, long, unsigned);
_Bool GOMP_loop_static_next(long*, long*);
void GOMP_loop_end_nowait(void);

static int owner[N];

static void body(void* data) {
    long first, last, step = *(long*)data;
    while (GOMP_loop_static_next(&first, &last))
        for (long i = first; i > last; i += step)
            owner[-i / 3] = omp_get_thread_num() + 1;
    GOMP_loop_end_nowait();
}

int main(void) {
    long step = -3;
    omp_set_dynamic(0);
    for (unsigned threads = 1; threads < 6; threads++) {
        memset(owner, 0, sizeof owner);
        GOMP_parallel_loop_static(body, &step, threads, 0, -3 * N, step, 4, 0);
        for (int i = 0; i < N; i++)
            CHECK_EQ(owner[i], 1 + i / 4 % threads);
    }
}
