// SPDX-License-Identifier: Apache-2.0
// flags: -Wno-unused-variable -O0
// stock: fails, a thread that waits starts no unrelated task
//
// While an untied task waits, its thread starts other tasks, which let the waiting task continue.
// While a tied task waits, its thread starts only descendants of that task.
#define OPENER untied
#include "suspended_state.h"
