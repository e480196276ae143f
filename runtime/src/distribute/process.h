// SPDX-License-Identifier: Apache-2.0
//
// What /proc says of this process: its mappings, and the filters for its system calls.
//
// Read past the C library, without memory of its own: also in a forked child and in a signal
// handler.
#pragma once

namespace teff::distribute {

struct Mappings {
    long now = 0, most = 0; // most: 0 where nobody tells
};
Mappings mappings_of_process();
long most_mappings();

// How many filters (seccomp) there are for the first thread's system calls. They never become
// fewer, and what a thread starts has them, too. Linux before 5.9 does not count them: 1 where
// there are some. Below 0: nobody tells.
long filters_of_process();

} // namespace teff::distribute
