// SPDX-License-Identifier: Apache-2.0
// env: OMP_TARGET_OFFLOAD=mandatory
//
// A device is mandatory, and there is none. The host still runs constructs that name the host as
// the device or whose if clause is false.
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
