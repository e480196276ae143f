// SPDX-License-Identifier: Apache-2.0
// env: OMP_MAX_TASK_PRIORITY=4 TEFF_TSC=relaxed
// stock: fails, libgomp crashes in a taskwait where tasks carry priorities
//
// Runs random trees of tasks. Any of these tasks may start while others wait on the same thread.
#include "random_tree.h"
