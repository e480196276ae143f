// SPDX-License-Identifier: Apache-2.0
// Asks a routine. No construct.

#include <omp.h>

int main(void) { return omp_get_max_threads() < 1; }
