// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2 OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=on
// flags: -O0
// stock: fails, a running task keeps its thread
// emulated: follows the code of x86-64; on AArch64 such a program is not preempted
// clang: without optimisation its tasks call a helper by a pointer, which cannot be followed
//
// Not optimised.
#include "by_function.h"
