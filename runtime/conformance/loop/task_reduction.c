// SPDX-License-Identifier: Apache-2.0
//
// Tests reduction(task, ...) on loops of every schedule, with signed and unsigned loop variables,
// and with tasks that add to the reduction.
#include "check.h"
#include "schedules.h"

enum { N = 60 };

#define ADD_IN_TASKS(schedule_clause)                                                                                  \
    do {                                                                                                               \
        long sum = 5;                                                                                                  \
        PRAGMA(omp parallel) {                                                                                         \
            PRAGMA(omp for schedule_clause reduction(task, + : sum))                                                   \
            for (long i = 0; i < N; i++) {                                                                             \
                PRAGMA(omp task in_reduction(+ : sum))                                                                 \
                sum += i;                                                                                              \
            }                                                                                                          \
            PRAGMA(omp for schedule_clause reduction(task, + : sum))                                                   \
            for (unsigned long long i = 0; i < bound; i++) {                                                           \
                sum += 1;                                                                                              \
                PRAGMA(omp task in_reduction(+ : sum))                                                                 \
                sum += i;                                                                                              \
            }                                                                                                          \
        }                                                                                                              \
        CHECK_EQ(sum, 5 + N * (N - 1) + N);                                                                            \
    } while (0)

int main(void) {
    volatile unsigned long long bound_value = N;
    unsigned long long bound = bound_value; // unknown to GCC, so that it takes the unsigned entry points
    int chunk = 4;
    omp_set_schedule(omp_sched_dynamic, 2);
    RUN_ALL_SCHEDULES(ADD_IN_TASKS);
    RUN_NONMONOTONIC_SCHEDULES(ADD_IN_TASKS);
}
