// SPDX-License-Identifier: Apache-2.0
//
// Tests the entry points that code compiled by GCC 12 never calls: each returns the specified
// values. These are GOMP_loop_ull_static_start and the functions like it, and the two functions for
// ordered static loops.
#include "check.h"

enum { N = 400 };
typedef unsigned long long ull;

_Bool GOMP_loop_static_start(long, long, long, long, long*, long*);
_Bool GOMP_loop_static_next(long*, long*);
_Bool GOMP_loop_ull_static_start(_Bool, ull, ull, ull, ull, ull*, ull*);
_Bool GOMP_loop_ull_static_next(ull*, ull*);
_Bool GOMP_loop_runtime_start(long, long, long, long*, long*);
_Bool GOMP_loop_runtime_next(long*, long*);
_Bool GOMP_loop_ull_runtime_start(_Bool, ull, ull, ull, ull*, ull*);
_Bool GOMP_loop_ull_runtime_next(ull*, ull*);
void GOMP_loop_end(void);
void GOMP_loop_end_nowait(void);

static void check_static(long chunk) {
    long first, last;
    ull ull_first, ull_last;
    int size = omp_get_num_threads(), me = omp_get_thread_num();
    if (GOMP_loop_static_start(0, N, 1, chunk, &first, &last)) do
            CHECK_EQ(first / chunk % size, me);
        while (GOMP_loop_static_next(&first, &last));
    GOMP_loop_end_nowait();
    // Downward, from N to 0.
    if (GOMP_loop_ull_static_start(0, N, 0, -1ull, chunk, &ull_first, &ull_last)) do
            CHECK_EQ((N - ull_first) / chunk % size, me);
        while (GOMP_loop_ull_static_next(&ull_first, &ull_last));
    GOMP_loop_end();
}

static void check_runtime(long* total) {
    long first, last, mine = 0;
    ull ull_first, ull_last;
    if (GOMP_loop_runtime_start(0, N, 1, &first, &last)) do
            mine += last - first;
        while (GOMP_loop_runtime_next(&first, &last));
    GOMP_loop_end_nowait();
    if (GOMP_loop_ull_runtime_start(1, 0, N, 1, &ull_first, &ull_last)) do
            mine += (long)(ull_last - ull_first);
        while (GOMP_loop_ull_runtime_next(&ull_first, &ull_last));
    GOMP_loop_end_nowait();
#pragma omp atomic
    *total += mine;
}

int main(void) {
    long total = 0;
    omp_set_schedule(omp_sched_dynamic, 6);
#pragma omp parallel
    {
        for (long chunk = 1; chunk < 100; chunk *= 3)
            check_static(chunk);
        check_runtime(&total);
    }
    CHECK_EQ(total, 2 * N);
}
