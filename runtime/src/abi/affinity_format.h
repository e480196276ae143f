// SPDX-License-Identifier: Apache-2.0
//
// What a thread says of its affinity, by a format such as "level %L thread %0.3n on %{host}"
// (OpenMP 5.2, section 4.3.5 of affinity-format-var).
//
// The process owns one format: the environment's until the program sets its own, which is kept in a
// copy. Any thread may read and set it.
#pragma once

#include <cstddef>
#include <string_view>

namespace teff::abi {

void set_affinity_format(std::string_view format);

// Both return the length of the whole text, of which as much is written as fits. No terminating
// zero.
std::size_t copy_affinity_format(char* buffer, std::size_t size);

// What the format makes for the calling thread. An empty format means the process's.
std::size_t write_affinity(char* buffer, std::size_t size, std::string_view format);

// The same as one line on standard error.
void print_affinity(std::string_view format);

// In a forked child: whoever held the format's lock is gone.
void forget_affinity_format_users();

} // namespace teff::abi
