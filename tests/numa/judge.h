// SPDX-License-Identifier: Apache-2.0
// What programs in C, C++ and Fortran say of where their memory lies: a line per block, "ok ..." or
// "FAILED ...", by the kernel's own account of each page (move_pages(2)).
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
