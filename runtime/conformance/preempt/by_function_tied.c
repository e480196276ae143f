// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2 OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=on
// stock: fails, a running task keeps its thread
// emulated: follows the code of x86-64; on AArch64 such a program is not preempted
//
// As tied.c, in a program that has a thread-local variable, which no task uses.
static __thread int unused __attribute__((used));

#include "tied.c"
