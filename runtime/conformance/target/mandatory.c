// SPDX-License-Identifier: Apache-2.0
// env: OMP_TARGET_OFFLOAD=mandatory
//
// Where a device is mandatory and there is none, the host still runs what asks for it by name or by
// an if clause.
#include "check.h"

static int runs;

int main(void) {
    CHECK_EQ(omp_get_num_devices(), 0);
#pragma omp target if (runs > 0) map(runs)
    runs++;
#pragma omp target device(omp_get_initial_device()) map(runs)
    runs++;
    omp_set_default_device(omp_get_initial_device());
#pragma omp target map(runs)
    runs++;
    CHECK_EQ(runs, 3);
}
