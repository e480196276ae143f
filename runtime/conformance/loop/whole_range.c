// SPDX-License-Identifier: Apache-2.0
//
// Tests loops of 2^64 - 1 unsigned or 2^63 - 1 signed iterations, in chunks of a quarter of the
// loop. Each thread checks only the ends of its chunks. So the test calls the runtime's entry
// points directly: in a compiled loop each thread would run all iterations of its chunks.
#include "check.h"
#include <limits.h>

typedef unsigned long long ull;
_Bool GOMP_loop_ull_dynamic_start(_Bool, ull, ull, ull, ull, ull*, ull*);
_Bool GOMP_loop_ull_dynamic_next(ull*, ull*);
_Bool GOMP_loop_dynamic_start(long, long, long, long, long*, long*);
_Bool GOMP_loop_dynamic_next(long*, long*);
_Bool GOMP_loop_ull_guided_start(_Bool, ull, ull, ull, ull, ull*, ull*);
_Bool GOMP_loop_ull_guided_next(ull*, ull*);
void GOMP_loop_end(void);

static ull covered;
static int chunks;

static void add_chunk(ull iterations) {
    __atomic_fetch_add(&covered, iterations, __ATOMIC_RELAXED);
    __atomic_fetch_add(&chunks, 1, __ATOMIC_RELAXED);
}

static void check_and_clear(ull expected, int least_chunks) {
#pragma omp single
    {
        CHECK(covered == expected);
        CHECK(chunks >= least_chunks);
        covered = 0;
        chunks = 0;
    }
}

int main(void) {
#pragma omp parallel
    {
        ull first, last;
        long low, high;
        if (GOMP_loop_ull_dynamic_start(1, 0, ULLONG_MAX, 1, ULLONG_MAX / 4, &first, &last)) do
                add_chunk(last - first);
            while (GOMP_loop_ull_dynamic_next(&first, &last));
        GOMP_loop_end();
        check_and_clear(ULLONG_MAX, 4);

        if (GOMP_loop_ull_guided_start(1, 0, ULLONG_MAX, 1, ULLONG_MAX / 8, &first, &last)) do
                add_chunk(last - first);
            while (GOMP_loop_ull_guided_next(&first, &last));
        GOMP_loop_end();
        check_and_clear(ULLONG_MAX, 1);

        if (GOMP_loop_dynamic_start(LONG_MAX / 2, -(LONG_MAX / 2) - 1, -1, LONG_MAX / 4, &low, &high)) do
                add_chunk((ull)low - (ull)high);
            while (GOMP_loop_dynamic_next(&low, &high));
        GOMP_loop_end();
        check_and_clear(LONG_MAX, 4);
    }
}
