// SPDX-License-Identifier: Apache-2.0
// env: OMP_CANCELLATION=true
//
// cancel for ends the loop early, with every schedule; later loops run all their iterations.
#include "check.h"

enum { N = 10000 };

#define PRAGMA(text) _Pragma(#text)
#define SEARCH(schedule_clause)                                                                                        \
    do {                                                                                                               \
        int found = -1, count = 0, whole = 0;                                                                          \
        PRAGMA(omp parallel) {                                                                                         \
            PRAGMA(omp for schedule_clause)                                                                            \
            for (int i = 0; i < N; i++) {                                                                              \
                __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);                                                       \
                if (i == 5) {                                                                                          \
                    __atomic_store_n(&found, i, __ATOMIC_RELEASE);                                                     \
                    PRAGMA(omp cancel for)                                                                             \
                    CHECK(!"went on after cancel");                                                                    \
                }                                                                                                      \
                /* Nobody passes his tenth before the fifth has been met. */                                           \
                if (i % 10 == 9) check_wait_for(&found, 5);                                                            \
                PRAGMA(omp cancellation point for)                                                                     \
            }                                                                                                          \
            CHECK_EQ(found, 5);                                                                                        \
            PRAGMA(omp for schedule_clause)                                                                            \
            for (unsigned long long i = 0; i < 100; i++)                                                               \
                __atomic_fetch_add(&whole, 1, __ATOMIC_RELAXED);                                                       \
        }                                                                                                              \
        CHECK(count >= 1 && count < N);                                                                                \
        CHECK_EQ(whole, 100);                                                                                          \
    } while (0)

int main(void) {
    omp_set_schedule(omp_sched_dynamic, 4);
    for (int round = 0; round < 10; round++) {
        SEARCH(schedule(static));
        SEARCH(schedule(static, 3));
        SEARCH(schedule(dynamic));
        SEARCH(schedule(dynamic, 16));
        SEARCH(schedule(guided));
        SEARCH(schedule(runtime));
    }
}
