// SPDX-License-Identifier: Apache-2.0
// stock: fails, taskyield does nothing
//
// taskyield lets unrelated tasks start, and lets tasks that have yielded continue. In one case two
// tasks alternate; in another, one task waits for all others. Both work on any number of threads.
#include "check.h"

enum { TURNS = 1000, OTHERS = 50 };

static int turn, others;

static void yield_until(const int* count, int wanted) {
    while (__atomic_load_n(count, __ATOMIC_ACQUIRE) < wanted) {
#pragma omp taskyield
        sched_yield();
    }
}

static void play(int me) {
    for (int mine = me; mine < TURNS; mine += 2) {
        yield_until(&turn, mine);
        CHECK_EQ(turn, mine);
        __atomic_store_n(&turn, mine + 1, __ATOMIC_RELEASE);
    }
}

int main(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp task untied
        play(0);
#pragma omp task untied
        play(1);
#pragma omp task // tied: only untied ones may start while it stands back
        yield_until(&others, OTHERS);
        for (int i = 0; i < OTHERS; i++) {
#pragma omp task untied
            __atomic_fetch_add(&others, 1, __ATOMIC_RELEASE);
        }
    }
    CHECK_EQ(turn, TURNS);
    CHECK_EQ(others, OTHERS);
}
