// SPDX-License-Identifier: Apache-2.0
//
// dynamic,k hands out blocks of k iterations, and guided,k hands out blocks of at least k
// iterations, except for the last block. The test calls the entry points directly, because they
// show the blocks.
#include "check.h"

enum { N = 1000 };

_Bool GOMP_loop_dynamic_start(long, long, long, long, long*, long*);
_Bool GOMP_loop_dynamic_next(long*, long*);
_Bool GOMP_loop_guided_start(long, long, long, long, long*, long*);
_Bool GOMP_loop_guided_next(long*, long*);
void GOMP_loop_end(void);

static int hits[N];

static void take(long first, long last, int least, int most) {
    CHECK(first >= 0 && last <= N && first < last);
    CHECK(last - first <= most);
    CHECK(last - first >= least || last == N);
    for (long i = first; i < last; i++)
        __atomic_fetch_add(&hits[i], 1, __ATOMIC_RELAXED);
}

static void check_and_clear_hits(void) {
#pragma omp single
    {
        for (int i = 0; i < N; i++)
            CHECK_EQ(hits[i], 1);
        memset(hits, 0, sizeof hits);
    }
}

int main(void) {
#pragma omp parallel
    {
        long first, last;
        for (int chunk = 1; chunk < 300; chunk *= 4) {
            if (GOMP_loop_dynamic_start(0, N, 1, chunk, &first, &last)) do {
                    CHECK_EQ(first % chunk, 0);
                    take(first, last, chunk, chunk);
                } while (GOMP_loop_dynamic_next(&first, &last));
            GOMP_loop_end();
            check_and_clear_hits();

            if (GOMP_loop_guided_start(0, N, 1, chunk, &first, &last)) do
                    take(first, last, chunk, N);
                while (GOMP_loop_guided_next(&first, &last));
            GOMP_loop_end();
            check_and_clear_hits();
        }
    }
}
