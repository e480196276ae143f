// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2 TEFF_TSC=relaxed
// stock: fails, a thread that waits for its turn starts no task
//
// While a thread waits for its turn at an ordered region, it runs tasks that are ready.
#include "ordered_beside.h"

int main(void) {
    first_iteration_waits_for_task = 1;
    run_loop();
    CHECK_EQ(ran_in_between, 1);
    return 0;
}
