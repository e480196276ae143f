// SPDX-License-Identifier: Apache-2.0
//
// Standard error, as it was when the library was loaded.
//
// A program may close descriptor 2 and open a file of its own, which gets that number; or nobody
// may read from the other end. Messages that the runtime prints at a time of its own choice must
// not go to such a file, and must not block.
//
// It is noted once, before there are other threads; then any thread may ask.
#pragma once

#include <cstddef>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system_call.h"

namespace teff::base {

// Which file descriptor 2 is now: nothing, if it is closed. Past the C library.
Identity standard_error();

// Which file it was at the start. By a library's constructor.
void note_standard_error(Identity identity);

// By the C library: a process that libgomp.so.1 is loaded into makes no call past it.
inline void note_standard_error() {
    struct stat status;
    note_standard_error(fstat(STDERR_FILENO, &status) == 0 ? identity_of(status) : Identity{});
}

// Whether descriptor 2 is still that file and takes at once what `write_at_once` writes in one
// piece, as far as can be told: another may be faster.
[[nodiscard]] bool standard_error_listens();

// Writes as much as standard error takes at once. Below 0: minus an errno value; the write may have
// raised a signal.
long write_at_once(const char* text, std::size_t bytes);

} // namespace teff::base
