// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2 OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=on
// flags: -fno-pie -no-pie -O3
// stock: fails, a running task keeps its thread
// emulated: follows the code of x86-64; on AArch64 such a program is not preempted
//
// At a fixed address, where the code contains addresses as constants.
#define WITHOUT_SWITCHES
#include "by_function.h"
