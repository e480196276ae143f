// SPDX-License-Identifier: Apache-2.0
//
// Regions that make a runtime request every kind of memory and thread that it uses, and that check
// their results. The results do not depend on the size of the team.
#ifndef WORK_H
#define WORK_H

#include "situation.h"

#include <omp.h>

enum { kNumbers = 300 };

static void work_tasks(void) {
    long sum = 0, big_sum = 0;
    struct {
        long numbers[400];
    } big = {{0}};
    big.numbers[399] = 7;
#pragma omp parallel
#pragma omp single
    {
        for (int i = 1; i <= kNumbers; ++i) {
#pragma omp task firstprivate(i) shared(sum)
#pragma omp atomic
            sum += i;
        }
        for (int i = 0; i < 10; ++i) {
#pragma omp task firstprivate(big) shared(big_sum)
#pragma omp atomic
            big_sum += big.numbers[399];
        }
    }
    CHECK_EQ(sum, kNumbers * (kNumbers + 1) / 2);
    CHECK_EQ(big_sum, 70);
}

static void work_dependences(void) {
    int chain[100] = {0};
#pragma omp parallel
#pragma omp single
    for (int i = 1; i < 100; ++i) {
#pragma omp task depend(in : chain[i - 1]) depend(out : chain[i]) firstprivate(i)
        chain[i] = chain[i - 1] + 1;
    }
    CHECK_EQ(chain[99], 99);
}

static void work_taskgroups(void) {
    long sum = 0;
#pragma omp parallel reduction(task, + : sum)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
    {
        for (int i = 1; i <= kNumbers; ++i) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
            sum += i;
        }
#pragma omp taskloop in_reduction(+ : sum) grainsize(7)
        for (int i = 0; i < kNumbers; ++i)
            sum += 1;
    }
    CHECK_EQ(sum, kNumbers * (kNumbers + 1) / 2 + kNumbers);
}

static void work_loops(void) {
    long sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
#pragma omp for schedule(dynamic, 3) nowait
        for (int i = 0; i < kNumbers; ++i)
            sum += i;
#pragma omp for schedule(guided) nowait
        for (int i = 0; i < kNumbers; ++i)
            sum += i;
#pragma omp for schedule(runtime) nowait
        for (int i = 0; i < kNumbers; ++i)
            sum += i;
#pragma omp sections
        {
#pragma omp section
            sum += 1;
#pragma omp section
            sum += 1;
        }
    }
    CHECK_EQ(sum, 3L * kNumbers * (kNumbers - 1) / 2 + 2);
}

static void work_ordered(void) {
    int next = 0, table[20][20] = {{0}};
#pragma omp parallel
    {
#pragma omp for ordered schedule(dynamic, 2)
        for (int i = 0; i < kNumbers; ++i) {
#pragma omp ordered
            {
                if (next != i) WRONG("ordered: %d instead of %d", i, next);
                ++next;
            }
        }
#pragma omp for ordered(2)
        for (int i = 1; i < 20; ++i)
            for (int j = 1; j < 20; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
                table[i][j] = 1 + (table[i - 1][j] > table[i][j - 1] ? table[i - 1][j] : table[i][j - 1]);
#pragma omp ordered depend(source)
            }
    }
    CHECK_EQ(next, kNumbers);
    CHECK_EQ(table[19][19], 37);
}

static void work_nested(void) {
    int inner = 0, outer = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel reduction(+ : inner, outer)
    {
        ++outer;
        int mine = 0;
#pragma omp parallel num_threads(3) reduction(+ : mine)
        mine += 1;
        if (mine < 1 || mine > 3) WRONG("an inner team of %d", mine);
        inner += mine;
    }
    CHECK(outer >= 1 && inner >= outer && inner <= 3 * outer);
}

static void work_locks(void) {
    omp_nest_lock_t lock;
    omp_init_nest_lock(&lock);
    int count = 0;
#pragma omp parallel
    {
        omp_set_num_threads(omp_get_thread_num() + 2);
        omp_set_nest_lock(&lock);
        omp_set_nest_lock(&lock);
        ++count;
        omp_unset_nest_lock(&lock);
        omp_unset_nest_lock(&lock);
    }
    CHECK(count >= 1);
    omp_destroy_nest_lock(&lock);
}

static void work(void) {
    work_tasks();
    work_dependences();
    work_taskgroups();
    work_loops();
    work_ordered();
    work_nested();
    work_locks();
}

#endif
