// SPDX-License-Identifier: Apache-2.0
//
// Files of the C library, C++ and Fortran, whose buffers each process has for itself. The processes
// share the files' positions, which the system keeps. So wherever one process hands its changes
// over, its buffers go, too: what it has written is written out, and what it has read ahead is
// given back. Then the others go on where it has stopped.
//
// What cannot be given back (of pipes and terminals; of Fortran's units, which keep it) is read by
// process 0 alone; a read by another one is refused.
//
// C++'s streams for input and output stay without buffers of their own (sync_with_stdio), and a
// buffer that the program gives to setvbuf is not used: it would be shared, but not what is in it.
#pragma once

#include <cstdio>

namespace teff::processes::files {

// Before the first module of the program runs, and when the first region begins.
void place_hooks();

// Where changes are handed over; in the program's own flow, not in a signal's handler.
void hand_over();

// In a process that has just been forked.
void be_worker();

// By the functions that read.
void about_to_read(FILE* file);

} // namespace teff::processes::files
