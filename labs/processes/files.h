// SPDX-License-Identifier: Apache-2.0
//
// Files of the C library, C++ and Fortran. Each process has its own buffers, but the processes
// share the files' positions, which the system keeps. So whenever a process sends its changes, it
// also empties its buffers: buffered output is written, and the file position is set back to the
// first byte that was read ahead but not used. The other processes then continue at the position
// where this process stopped.
//
// Input from pipes and terminals, and input of Fortran's units, cannot be set back in this way.
// Only process 0 may read it; a read by another process is refused.
//
// C++'s standard streams keep no buffers of their own (sync_with_stdio). A buffer that the program
// passes to setvbuf is not used, because it would lie in shared memory, although its contents
// belong to one process.
#pragma once

#include <cstdio>

namespace teff::processes::files {

// Called before the first module of the program runs, and when the first region begins.
void place_hooks();

// Called when changes are sent by the program's own code, and not by a signal handler.
void hand_over();

// Called in a process that has just been forked.
void be_worker();

// Called by the functions that read.
void about_to_read(FILE* file);

} // namespace teff::processes::files
