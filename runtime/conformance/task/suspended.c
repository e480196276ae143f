// SPDX-License-Identifier: Apache-2.0
// flags: -Wno-unused-variable -O0
// stock: fails, a thread that waits starts no unrelated task
//
// A thread whose untied task waits starts others, which let the waiting one go on. While a tied one
// waits there, it starts none that does not descend from that.
#define OPENER untied
#include "suspended_state.h"
