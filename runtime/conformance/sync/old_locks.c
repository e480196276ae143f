// SPDX-License-Identifier: Apache-2.0
//
// Tests the lock functions of symbol version OMP_1.0, which binaries from before OpenMP 3.0 need: a
// lock belongs to a thread, and a nestable lock has 8 bytes.
#include "check.h"

#define OLD(result, name)                                                                                              \
    result old_##name(void* lock);                                                                                     \
    __asm__(".symver old_" #name ", omp_" #name "@OMP_1.0")

OLD(void, init_lock);
OLD(void, set_lock);
OLD(void, unset_lock);
OLD(int, test_lock);
OLD(void, destroy_lock);
OLD(void, init_nest_lock);
OLD(void, set_nest_lock);
OLD(void, unset_nest_lock);
OLD(int, test_nest_lock);
OLD(void, destroy_nest_lock);

static struct {
    int before;
    int lock;
    int between;
    int nest[2];
    int after;
} guarded = {.before = 1, .between = 2, .after = 3};

int main(void) {
    int size = omp_get_max_threads();
    long in_lock = 0, in_nest_lock = 0;
    omp_set_dynamic(0);
    old_init_lock(&guarded.lock);
    old_init_nest_lock(guarded.nest);
#pragma omp parallel
    for (int i = 0; i < 300; i++) {
        old_set_lock(&guarded.lock);
        check_slow_increment(&in_lock);
        CHECK(!old_test_lock(&guarded.lock));
        old_unset_lock(&guarded.lock);
        old_set_nest_lock(guarded.nest);
        check_slow_increment(&in_nest_lock);
        CHECK_EQ(old_test_nest_lock(guarded.nest), 2);
#pragma omp task if (0)
        {
            // The owner is the thread: a task on it may enter.
            CHECK_EQ(old_test_nest_lock(guarded.nest), 3);
            old_unset_nest_lock(guarded.nest);
        }
        old_unset_nest_lock(guarded.nest);
        old_unset_nest_lock(guarded.nest);
    }
    CHECK_EQ(in_lock, 300L * size);
    CHECK_EQ(in_nest_lock, 300L * size);
    old_destroy_lock(&guarded.lock);
    old_destroy_nest_lock(guarded.nest);
    CHECK(guarded.before == 1 && guarded.between == 2 && guarded.after == 3);
}
