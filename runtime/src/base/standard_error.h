// SPDX-License-Identifier: Apache-2.0
//
// Identifies the file that was standard error when the library was loaded.
//
// The runtime prints some messages at a time of its own choice. These messages must not go to a
// file of the program, and must not block. Both could happen: a program may close descriptor 2 and
// then open a file, which gets this number; or standard error may be a pipe that is not read.
//
// The file's identity is recorded once, before other threads exist. From then on any thread may
// call the functions that check standard error.
#pragma once

#include <cstddef>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system_call.h"

namespace teff::base {

// Returns the identity of the file that descriptor 2 refers to now; Identity{} if descriptor 2 is
// closed. Bypasses the C library.
Identity standard_error();

// Records the identity of the file that descriptor 2 referred to at the start. Called by a
// library's constructor.
void note_standard_error(Identity identity);

// Records the file that descriptor 2 refers to now. Uses the C library, because a process that only
// loads libgomp.so.1 must make no system call that bypasses the C library.
inline void note_standard_error() {
    struct stat status;
    note_standard_error(fstat(STDERR_FILENO, &status) == 0 ? identity_of(status) : Identity{});
}

// Returns true if descriptor 2 still refers to the recorded file and this file can accept at once a
// piece of the size that `write_at_once` writes. The answer is not certain, because another writer
// may fill the file in between.
[[nodiscard]] bool standard_error_listens();

// Writes as much of the text as standard error accepts at once. If a write fails, returns minus an
// errno value; the write may then have raised a signal.
long write_at_once(const char* text, std::size_t bytes);

} // namespace teff::base
