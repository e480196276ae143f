// SPDX-License-Identifier: Apache-2.0
// Calls a routine, and uses no construct.

#include <omp.h>

int main(void) { return omp_get_max_threads() < 1; }
