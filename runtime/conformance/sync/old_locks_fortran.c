// SPDX-License-Identifier: Apache-2.0
//
// Tests the Fortran names of the lock functions in symbol version OMP_1.0, as old Fortran binaries
// call them: the argument points to a variable that contains either the lock itself or a pointer to
// the lock.
#include "check.h"

#define OLD(result, name)                                                                                              \
    result old_##name(void* lock);                                                                                     \
    __asm__(".symver old_" #name ", omp_" #name "_@OMP_1.0")

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

int main(void) {
    int size = omp_get_max_threads();
    long in_lock = 0, in_nest_lock = 0;
    long lock = 0, nest = 0; // omp_lock_kind is 4, omp_nest_lock_kind 8 bytes
    omp_set_dynamic(0);
    old_init_lock(&lock);
    old_init_nest_lock(&nest);
    CHECK(old_test_lock(&lock));
    CHECK(!old_test_lock(&lock));
    old_unset_lock(&lock);
#pragma omp parallel
    for (int i = 0; i < 200; i++) {
        old_set_lock(&lock);
        check_slow_increment(&in_lock);
        old_unset_lock(&lock);
        old_set_nest_lock(&nest);
        CHECK_EQ(old_test_nest_lock(&nest), 2);
        check_slow_increment(&in_nest_lock);
        old_unset_nest_lock(&nest);
        old_unset_nest_lock(&nest);
    }
    CHECK_EQ(in_lock, 200L * size);
    CHECK_EQ(in_nest_lock, 200L * size);
    old_destroy_lock(&lock);
    old_destroy_nest_lock(&nest);
}
