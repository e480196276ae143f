// SPDX-License-Identifier: Apache-2.0
// The recorder's system calls: all of them bypass the C library (base/system_call.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <optional>

#include "base/system_call.h"

namespace teff::probe::trace {

using base::call;
using base::Identity;
using base::identity_of;
using base::is_error;

// Maps fresh memory, which is all zero. Returns null if there is no memory.
void* map_memory(std::size_t bytes);

// Returns the nanoseconds of a clock that counts CPU time; makes a system call. Returns 0 if the
// clock cannot be read, for example because its thread has ended.
std::uint64_t cpu_ns(clockid_t clock);
// For how long a thread of this process could have run but had no processor, since it began.
// Returns nullopt if the kernel does not tell. Called apart (apart.h), as it opens a file.
std::optional<std::uint64_t> delay_ns(std::uint32_t os_thread);
// How often the calling thread gave up its processor (`waits`), and how often it was preempted.
// Both are 0 if the kernel does not tell.
struct Switches {
    std::uint16_t waits = 0, preemptions = 0; // modulo 2^16
};
Switches own_switches();
// What the process has taken of the kernel since it began. All are 0 if the kernel does not tell.
struct Usage {
    std::uint64_t minor_faults = 0, system_ns = 0, most_resident_bytes = 0;
};
Usage usage_of_process();
clockid_t clock_of_thread(std::uint32_t os_thread); // a thread of this process
// Returns the number at the beginning of a file of the kernel, or nullopt if there is none.
// `folder` is as for openat. Called apart (apart.h).
std::optional<std::uint64_t> read_number(long folder, const char* path);

} // namespace teff::probe::trace
