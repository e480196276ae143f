// SPDX-License-Identifier: Apache-2.0
// env: OMP_MAX_TASK_PRIORITY=4 TEFF_UNTIED=migrate
//
// Untied tasks that wait, and may continue on other threads.
#include "untied_migrate_many.h"

int main(void) { return run(); }
