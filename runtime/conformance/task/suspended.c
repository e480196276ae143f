// SPDX-License-Identifier: Apache-2.0
// flags: -Wno-unused-variable -O0
// stock: fails, a thread that waits starts no unrelated task
//
// A thread whose task waits starts untied tasks, which let the waiting one go on.
#define OPENER untied
#include "suspended_state.h"
