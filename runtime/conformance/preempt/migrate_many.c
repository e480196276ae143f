// SPDX-License-Identifier: Apache-2.0
// env: OMP_MAX_TASK_PRIORITY=4 TEFF_UNTIED=migrate TEFF_PREEMPT=stress:50us
//
// Untied tasks that wait and are preempted, and may continue on other threads.
#include "../task/untied_migrate_many.h"

int main(void) { return run(); }
