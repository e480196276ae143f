// SPDX-License-Identifier: Apache-2.0
// clang: it expects the sizes of GCC's locks
//
// Simple locks: they exclude each other, omp_test_lock works, and no byte outside the lock's four
// bytes changes.
#include "check.h"

enum { LOCKS = 4, ROUNDS = 400 };
static struct {
    unsigned before;
    omp_lock_t lock;
    unsigned after;
} guarded[LOCKS];
_Static_assert(sizeof(omp_lock_t) == 4, "the compiler's header fixes the size");

int main(void) {
    int size = omp_get_max_threads();
    long count[LOCKS] = {0}, tested = 0;
    omp_set_dynamic(0);
    for (int i = 0; i < LOCKS; i++) {
        guarded[i].before = guarded[i].after = 0xC0FFEE + i;
        omp_init_lock(&guarded[i].lock);
    }
    CHECK(omp_test_lock(&guarded[0].lock));
    CHECK(!omp_test_lock(&guarded[0].lock));
    omp_unset_lock(&guarded[0].lock);
#pragma omp parallel reduction(+ : tested)
    for (int i = 0; i < ROUNDS; i++) {
        int which = i % LOCKS;
        omp_set_lock(&guarded[which].lock);
        check_slow_increment(&count[which]);
        omp_unset_lock(&guarded[which].lock);
        if (omp_test_lock(&guarded[which].lock)) {
            check_slow_increment(&count[which]);
            tested++;
            omp_unset_lock(&guarded[which].lock);
        }
    }
    long total = 0;
    for (int i = 0; i < LOCKS; i++) {
        omp_destroy_lock(&guarded[i].lock);
        CHECK_EQ(guarded[i].before, 0xC0FFEE + i);
        CHECK_EQ(guarded[i].after, 0xC0FFEE + i);
        total += count[i];
    }
    CHECK_EQ(total, (long)size * ROUNDS + tested);
}
