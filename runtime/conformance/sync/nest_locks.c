// SPDX-License-Identifier: Apache-2.0
// clang: it expects the sizes of GCC's locks
//
// Nestable locks: the owner may take the lock again, omp_test_nest_lock returns the depth, other
// tasks wait, and no byte outside the lock's 16 bytes changes.
#include "check.h"

enum { ROUNDS = 200 };
static struct {
    unsigned long before;
    omp_nest_lock_t lock;
    unsigned long after;
} guarded = {.before = 0xABCD, .after = 0xEF01};
_Static_assert(sizeof(omp_nest_lock_t) == 16, "the compiler's header fixes the size");

static long count;

static void enter(int depth) {
    omp_set_nest_lock(&guarded.lock);
    check_slow_increment(&count);
    if (depth > 1) enter(depth - 1);
    omp_unset_nest_lock(&guarded.lock);
}

int main(void) {
    int size = omp_get_max_threads();
    omp_set_dynamic(0);
    omp_init_nest_lock(&guarded.lock);
    CHECK_EQ(omp_test_nest_lock(&guarded.lock), 1);
    CHECK_EQ(omp_test_nest_lock(&guarded.lock), 2);
    omp_set_nest_lock(&guarded.lock);
    CHECK_EQ(omp_test_nest_lock(&guarded.lock), 4);
#pragma omp parallel num_threads(2)
    {
        // The initial thread's implicit task here is another task than the one that owns the lock.
        CHECK_EQ(omp_test_nest_lock(&guarded.lock), 0);
    }
    for (int i = 0; i < 4; i++)
        omp_unset_nest_lock(&guarded.lock);
#pragma omp parallel
    for (int i = 0; i < ROUNDS; i++)
        enter(1 + i % 5);
    CHECK_EQ(count, (long)size * ROUNDS * 3);
    omp_destroy_nest_lock(&guarded.lock);
    CHECK_EQ(guarded.before, 0xABCD);
    CHECK_EQ(guarded.after, 0xEF01);
}
