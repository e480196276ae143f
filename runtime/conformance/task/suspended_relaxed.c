// SPDX-License-Identifier: Apache-2.0
// flags: -Wno-unused-variable -O0
// env: TEFF_TSC=relaxed
// stock: fails, a thread that waits starts no unrelated task
//
// With the relaxed task scheduling constraint, a thread whose task waits also starts tied tasks.
#define OPENER
#define TIED_TOO
#include "suspended_state.h"
