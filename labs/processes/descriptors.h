// SPDX-License-Identifier: Apache-2.0
//
// The library's own file descriptors. They have high numbers, so that they neither shift the
// numbers of files that the program opens, nor occupy low numbers on which a program relies. The
// intercepted functions that close descriptors leave them open.
#pragma once

namespace teff::processes::descriptors {

// Moves a descriptor to a high number, and keeps it there. Returns -1 for -1.
int keep(int descriptor);
void close_kept(int descriptor);

bool is_kept(int descriptor);

} // namespace teff::processes::descriptors
