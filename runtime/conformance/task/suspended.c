// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=4
// flags: -Wno-unused-variable -O0
// stock: fails, a thread that waits starts no unrelated task
//
// Tasks wait, and others let them go on: some thread runs those, if not always the one on which
// they wait. In a team of one a tied task keeps unrelated ones from starting.
#define OPENER untied
#include "suspended_state.h"
