// SPDX-License-Identifier: Apache-2.0
//
// Tests combined parallel loops as GCC 4.8 and older emitted them.
#include "check.h"

enum { N = 500 };
typedef void (*body_function)(void*);

void GOMP_parallel_end(void);
void GOMP_loop_end_nowait(void);
void GOMP_parallel_loop_static_start(body_function, void*, unsigned, long, long, long, long);
void GOMP_parallel_loop_dynamic_start(body_function, void*, unsigned, long, long, long, long);
void GOMP_parallel_loop_guided_start(body_function, void*, unsigned, long, long, long, long);
void GOMP_parallel_loop_runtime_start(body_function, void*, unsigned, long, long, long);
_Bool GOMP_loop_static_next(long*, long*);
_Bool GOMP_loop_dynamic_next(long*, long*);
_Bool GOMP_loop_guided_next(long*, long*);
_Bool GOMP_loop_runtime_next(long*, long*);

static int hits[N];

static void body(void* data) {
    _Bool (*next)(long*, long*) = *(_Bool(**)(long*, long*))data;
    long first, last;
    while (next(&first, &last)) {
        CHECK(first >= 3 && last <= 3 + 2 * N);
        for (long i = first; i < last; i += 2)
            __atomic_fetch_add(&hits[(i - 3) / 2], 1, __ATOMIC_RELAXED);
    }
    GOMP_loop_end_nowait();
}

static void check_and_clear_hits(void) {
    for (int i = 0; i < N; i++)
        CHECK_EQ(hits[i], 1);
    memset(hits, 0, sizeof hits);
}

int main(void) {
    _Bool (*next)(long*, long*) = GOMP_loop_static_next;
    for (unsigned threads = 0; threads < 4; threads++) {
        for (long chunk = 1; chunk < 20; chunk += 6) {
            next = GOMP_loop_static_next;
            GOMP_parallel_loop_static_start(body, &next, threads, 3, 3 + 2 * N, 2, chunk);
            body(&next);
            GOMP_parallel_end();
            check_and_clear_hits();

            next = GOMP_loop_dynamic_next;
            GOMP_parallel_loop_dynamic_start(body, &next, threads, 3, 3 + 2 * N, 2, chunk);
            body(&next);
            GOMP_parallel_end();
            check_and_clear_hits();

            next = GOMP_loop_guided_next;
            GOMP_parallel_loop_guided_start(body, &next, threads, 3, 3 + 2 * N, 2, chunk);
            body(&next);
            GOMP_parallel_end();
            check_and_clear_hits();

            next = GOMP_loop_runtime_next;
            omp_set_schedule(omp_sched_guided, (int)chunk);
            GOMP_parallel_loop_runtime_start(body, &next, threads, 3, 3 + 2 * N, 2);
            body(&next);
            GOMP_parallel_end();
            check_and_clear_hits();
        }
    }
}
