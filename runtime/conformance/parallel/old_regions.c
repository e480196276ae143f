// SPDX-License-Identifier: Apache-2.0
//
// Tests regions as GCC 4.8 and older emitted them: a call that starts the region, the master's own
// call of the body, and a call that ends the region.
#include "check.h"

void GOMP_parallel_start(void (*body)(void*), void* data, unsigned threads);
void GOMP_parallel_end(void);

struct shared {
    int count;
    int expected_size;
};

static void body(void* data) {
    struct shared* shared = data;
    CHECK_EQ(omp_get_num_threads(), shared->expected_size);
    CHECK_EQ(omp_get_level(), 1);
    __atomic_fetch_add(&shared->count, 1, __ATOMIC_RELAXED);
}

static void run_region(unsigned threads, int expected_size) {
    struct shared shared = {0, expected_size};
    GOMP_parallel_start(body, &shared, threads);
    body(&shared);
    GOMP_parallel_end();
    CHECK_EQ(shared.count, expected_size);
    CHECK_EQ(omp_get_level(), 0);
}

int main(void) {
    omp_set_dynamic(0);
    for (int round = 0; round < 20; round++) {
        run_region(0, omp_get_max_threads()); // 0: as many as the settings say
        run_region(1, 1);
        run_region(4, 4);
    }
}
