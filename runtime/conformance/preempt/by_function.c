// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2 OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=on
// flags: -lm
// stock: fails, a running task keeps its thread
// emulated: follows the code of x86-64; on AArch64 such a program is not preempted
//
// Optimised, at an address that is chosen when the program is loaded.
#include "by_function.h"
