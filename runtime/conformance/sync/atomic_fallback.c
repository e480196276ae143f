// SPDX-License-Identifier: Apache-2.0
//
// Tests atomic constructs on long double, a type for which the processor has no atomic
// instructions. GCC calls GOMP_atomic_start before such an operation, and GOMP_atomic_end after it.
#include "check.h"

enum { ROUNDS = 500 };

void GOMP_atomic_start(void);
void GOMP_atomic_end(void);

// The two entry points themselves, with room between reading and writing.
static void check_exclusion(int size) {
    long count = 0;
#pragma omp parallel
    for (int i = 0; i < 200; i++) {
        GOMP_atomic_start();
        check_slow_increment(&count);
        GOMP_atomic_end();
    }
    CHECK_EQ(count, 200L * size);
}

int main(void) {
    int size = omp_get_max_threads();
    long double wide = 0;
    long double product = 1;
    omp_set_dynamic(0);
    check_exclusion(size);
#pragma omp parallel
    for (int i = 0; i < ROUNDS; i++) {
#pragma omp atomic
        wide += 0.5L;
#pragma omp atomic update seq_cst
        product = product * -1.0L;
        long double seen;
#pragma omp atomic read
        seen = wide;
        CHECK(seen >= 0.5L && seen <= 0.5L * ROUNDS * size);
    }
    CHECK(wide == 0.5L * ROUNDS * size);
    CHECK(product == 1.0L);
}
