// SPDX-License-Identifier: Apache-2.0
// env: TEFF_CONTEXTS=3 TEFF_DEQUE_LIMIT=16
//
// Runs random trees of tasks, with very few stacks for waiting tasks, and with short queues.
#include "random_tree.h"
