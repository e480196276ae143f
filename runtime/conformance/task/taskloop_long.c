// SPDX-License-Identifier: Apache-2.0
//
// Tests taskloops of very many tasks. A runtime may run these tasks in place, and may combine
// several into one. Each still behaves as a separate task, and the construct's group or parent
// waits for all of them.
#include "check.h"

#include <omp.h>
#include <string.h>

enum { kLong = 20000, kShort = 2000 };

static int runs[kLong];
static int ended;

static void check_once(int count) {
    for (int i = 0; i < count; i++)
        CHECK_EQ(runs[i], 1);
    memset(runs, 0, sizeof runs);
}

static void run_one(int i) { __atomic_fetch_add(&runs[i], 1, __ATOMIC_RELAXED); }

static void in_group(void) {
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < kLong; i++)
        run_one(i);
    check_once(kLong);
}

// The parent's count has them all.
static void in_parent(void) {
#pragma omp taskloop grainsize(1) nogroup
    for (int i = 0; i < kLong; i++)
        run_one(i);
#pragma omp taskwait
    check_once(kLong);
}

// The parent ends before them, with what they were given.
static void after_parent(void) {
#pragma omp taskgroup
    {
#pragma omp task
        {
            int given[3] = {1, 2, 3};
#pragma omp taskloop grainsize(1) nogroup firstprivate(given)
            for (int i = 0; i < kLong; i++) {
                CHECK(given[0] == 1 && given[1] == 2 && given[2] == 3);
                given[i % 3] = -i; // its own
                run_one(i);
            }
            memset(given, 0, sizeof given);
        }
    }
    check_once(kLong);
}

// Their children: waited for by them, by nobody but the group, and by taskloops in them.
static void with_children(void) {
    ended = 0;
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < kShort; i++) {
        int child = 0;
#pragma omp task shared(child)
        __atomic_store_n(&child, 1, __ATOMIC_RELAXED);
#pragma omp task
        __atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED);
        if (i % 2 == 0) {
#pragma omp taskwait
            CHECK_EQ(child, 1);
        } else {
#pragma omp taskgroup
            {
#pragma omp task shared(child)
                __atomic_fetch_add(&child, 1, __ATOMIC_RELAXED);
            }
#pragma omp taskwait
            CHECK_EQ(child >= 1, 1);
        }
        run_one(i);
    }
    CHECK_EQ(ended, kShort);
    check_once(kShort);
}

static void left_by_parents(void) {
    ended = 0;
#pragma omp taskgroup
#pragma omp taskloop grainsize(1) nogroup
    for (int i = 0; i < kShort; i++) {
#pragma omp task
        {
#pragma omp task
            __atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED);
        }
    }
    CHECK_EQ(ended, kShort);
}

static void nested(void) {
    ended = 0;
#pragma omp taskloop num_tasks(kShort) untied
    for (int i = 0; i < kShort; i++) {
        run_one(i);
        if (i % 500 != 0) continue;
#pragma omp taskyield
#pragma omp taskloop grainsize(1)
        for (int j = 0; j < kShort; j++)
            __atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED);
    }
    CHECK_EQ(ended, kShort / 500 * kShort);
    check_once(kShort);
}

static void with_reduction(void) {
    long sum = 0;
#pragma omp taskloop grainsize(1) reduction(+ : sum)
    for (int i = 0; i < kLong; i++)
        sum += i;
    CHECK_EQ(sum, (long)kLong * (kLong - 1) / 2);
}

// Down, over the end of the type's range, and with a rest.
static void with_steps(void) {
    unsigned long long sum = 0;
    const unsigned long long top = ~0ull - 1;
#pragma omp taskloop grainsize(2) shared(sum)
    for (unsigned long long i = top; i > top - 3 * kShort; i -= 3)
        __atomic_fetch_add(&sum, top - i, __ATOMIC_RELAXED);
    CHECK_EQ(sum, 3ull * kShort * (kShort - 1) / 2);
    long found = 0;
#pragma omp taskloop num_tasks(kShort / 3) shared(found)
    for (long i = -kShort; i < kShort; i += 7)
        __atomic_fetch_add(&found, 1, __ATOMIC_RELAXED);
    CHECK_EQ(found, (2 * kShort + 6) / 7);
}

// What one sets for itself the next one does not have.
static void with_own_icvs(void) {
    const int threads = omp_get_max_threads();
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < kShort; i++) {
        CHECK_EQ(omp_get_max_threads(), threads);
        if (i % 10 == 0) omp_set_num_threads(threads + 1 + i);
        run_one(i);
    }
    check_once(kShort);
    omp_set_num_threads(threads + 5);
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < kShort; i++) {
        CHECK_EQ(omp_get_max_threads(), threads + 5);
        run_one(i);
    }
    check_once(kShort);
    omp_set_num_threads(threads);
}

static void cancelled(void) {
    if (!omp_get_cancellation()) return;
    ended = 0;
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < kLong; i++) {
        __atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED);
        if (i == kShort) {
#pragma omp cancel taskgroup
        }
    }
    CHECK(ended >= 1 && ended <= kLong);
}

static void all(void) {
    in_group();
    in_parent();
    after_parent();
    with_children();
    left_by_parents();
    nested();
    with_reduction();
    with_steps();
    with_own_icvs();
    cancelled();
}

int main(void) {
#pragma omp parallel
#pragma omp single
    all();
    // All threads make some, each its own.
#pragma omp parallel
    {
        long mine = 0;
#pragma omp taskloop grainsize(1) shared(mine)
        for (int i = 0; i < kShort; i++)
            __atomic_fetch_add(&mine, i, __ATOMIC_RELAXED);
        CHECK_EQ(mine, (long)kShort * (kShort - 1) / 2);
    }
    all(); // outside of regions
}
