// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2 TEFF_TSC=strict
//
// Waiting for a turn at an ordered region is not a task scheduling point: the waiting thread runs
// no task.
#include "ordered_beside.h"

int main(void) {
    first_iteration_waits_for_task = 0;
    run_loop();
    CHECK_EQ(ran_in_between, 0);
    return 0;
}
