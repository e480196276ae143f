// SPDX-License-Identifier: Apache-2.0
//
// Reads from /proc the mappings of this process and the filters for its system calls.
//
// The functions bypass the C library and allocate no memory, so they may also be called in a forked
// child and in a signal handler.
#pragma once

namespace teff::distribute {

struct Mappings {
    long now = 0, most = 0; // how many there are, and vm.max_map_count; 0: not known
};
Mappings mappings_of_process();
long most_mappings();

// Returns the number of filters (seccomp) for the system calls of the process's first thread; below
// 0 if the number is not known. The number never decreases, and a thread or program that a thread
// starts inherits its filters. Linux before 5.9 does not count filters: the result is then 1 if
// there are any.
long filters_of_process();

} // namespace teff::distribute
