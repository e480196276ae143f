// SPDX-License-Identifier: Apache-2.0
// Checks where the memory of a program in C, C++ or Fortran lies: asks the kernel for the node of
// each page (move_pages(2)). Prints a line for each block, "ok ..." or "FAILED ...".
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// SPREAD NODES, as the arguments have them: fine, coarse, or elsewhere, as the kernel likes;
// and the numbers of the nodes, as in 0,2,3.
void judge_start(const char* program, const char* spread, const char* nodes);

// All pages of the block have been touched, by one thread.
void judge_block(const char* name, const void* block, size_t bytes);

// The exit status.
int judge_end(void);

#ifdef __cplusplus
}
#endif
