// SPDX-License-Identifier: Apache-2.0
// flags: -Wno-unused-variable -O0
// env: TEFF_TSC=relaxed
// stock: fails, a thread that waits starts no unrelated task
//
// A thread whose task waits starts tied tasks, too, where the scheduling constraint is relaxed.
#define OPENER
#define TIED_TOO
#include "suspended_state.h"
