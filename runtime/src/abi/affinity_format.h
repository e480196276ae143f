// SPDX-License-Identifier: Apache-2.0
//
// Formats a thread's affinity according to a format such as "level %L thread %0.3n on %{host}"
// (OpenMP 5.2, section 4.3.5 of affinity-format-var).
//
// The process has one format. It comes from the environment until the program sets another format,
// of which the runtime keeps a copy. Any thread may read and set the process's format.
#pragma once

#include <cstddef>
#include <string_view>

#include "icv/icv.h"

namespace teff::abi {

// Says as which runtime to write what both write differently: where lines are printed, a thread's
// native number (a pthread_t or a number of the kernel), and two neighbouring processors (0-1 or
// 0,1). Called by the library's constructor.
void write_affinity_as(icv::Precedence runtime);

void set_affinity_format(std::string_view format);

// Writes as much of the process's format into the buffer as fits, without a terminating zero.
// Returns the length of the whole format in bytes.
std::size_t copy_affinity_format(char* buffer, std::size_t size);

// Writes as much of the calling thread's affinity, formatted by `format`, into the buffer as fits,
// without a terminating zero. Returns the length of the whole text in bytes. An empty `format`
// means the process's format.
std::size_t write_affinity(char* buffer, std::size_t size, std::string_view format);

// Prints the calling thread's affinity as one line, on standard error or, as libomp, on standard
// output. `format`: as for write_affinity.
void print_affinity(std::string_view format);

// Makes the lock of the process's format free. Called in a forked child, where the thread that held
// the lock may not exist.
void forget_affinity_format_users();

} // namespace teff::abi
