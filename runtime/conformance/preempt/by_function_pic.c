// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2 OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=on
// flags: -fPIC -fno-plt -fstack-protector-all -fcf-protection
// stock: fails, a running task keeps its thread
// emulated: follows the code of x86-64; on AArch64 such a program is not preempted
// clang: it calls functions of libraries by a register, which cannot be followed
//
// Code as for a library: calls through slots, checks of the stack, marked targets of jumps.
#include "by_function.h"
