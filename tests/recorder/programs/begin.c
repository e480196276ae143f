// SPDX-License-Identifier: Apache-2.0
// A library for stacks.py.
#include <omp.h>

int threads;

void begin(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    threads = omp_get_num_threads();
}
