// SPDX-License-Identifier: Apache-2.0
// env: OMP_MAX_TASK_PRIORITY=4
// stock: fails, libgomp crashes in a taskwait where tasks carry priorities
//
// Runs random trees of tasks under the task scheduling constraint.
#include "random_tree.h"
