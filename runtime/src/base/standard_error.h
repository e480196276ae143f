// SPDX-License-Identifier: Apache-2.0
//
// The file that standard error was when the library was loaded.
//
// A program may close descriptor 2 and open one of its own files, which then gets this number. Or
// standard error may be a pipe from which nobody reads. Messages that the runtime prints at a time
// of its own choice must not go to the program's file, and must not block.
//
// The file's identity is noted once, before other threads exist. From then on any thread may call
// the functions that check standard error.
#pragma once

#include <cstddef>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system_call.h"

namespace teff::base {

// Returns the identity of the file that descriptor 2 is now; Identity{} if descriptor 2 is closed.
// Bypasses the C library.
Identity standard_error();

// Notes the identity of the file that descriptor 2 was at the start. Called by a library's
// constructor.
void note_standard_error(Identity identity);

// Notes the file that descriptor 2 is now. Uses the C library: a process that only loads
// libgomp.so.1 makes no system call that bypasses the C library.
inline void note_standard_error() {
    struct stat status;
    note_standard_error(fstat(STDERR_FILENO, &status) == 0 ? identity_of(status) : Identity{});
}

// Returns true if descriptor 2 is still the noted file and can take at once a piece of the size
// that `write_at_once` writes. The answer is not certain: another writer may fill the file in
// between.
[[nodiscard]] bool standard_error_listens();

// Writes as much of the text as standard error takes at once. Returns a value below 0, minus an
// errno value, if a write has failed; the write may then have raised a signal.
long write_at_once(const char* text, std::size_t bytes);

} // namespace teff::base
