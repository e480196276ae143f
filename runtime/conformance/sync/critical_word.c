// SPDX-License-Identifier: Apache-2.0
//
// The compiler gives each named critical region one word of the size of a pointer, which is zero at
// first. The runtime must not change memory next to this word.
#include "check.h"

void GOMP_critical_name_start(void** word);
void GOMP_critical_name_end(void** word);

static struct {
    unsigned long before;
    void* word;
    unsigned long after;
} guarded = {0x1111, NULL, 0x2222};

int main(void) {
    long count = 0;
    int size = omp_get_max_threads();
    omp_set_dynamic(0);
#pragma omp parallel
    for (int i = 0; i < 500; i++) {
        GOMP_critical_name_start(&guarded.word);
        check_slow_increment(&count);
        CHECK_EQ(guarded.before, 0x1111);
        CHECK_EQ(guarded.after, 0x2222);
        GOMP_critical_name_end(&guarded.word);
    }
    CHECK_EQ(count, 500L * size);
    CHECK_EQ(guarded.before, 0x1111);
    CHECK_EQ(guarded.after, 0x2222);
}
