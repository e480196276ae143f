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

// Fresh memory, all zero; null: there is none.
void* map_memory(std::size_t bytes);

// A clock that counts CPU time, read by a system call; 0: it cannot be read, as that of a thread
// that has ended.
std::uint64_t cpu_ns(clockid_t clock);
// How often the calling thread gave its processor up, or lost it; 0 where the kernel does not tell.
struct Switches {
    std::uint16_t waits = 0, preemptions = 0; // modulo 2^16
};
Switches own_switches();
clockid_t clock_of_thread(std::uint32_t os_thread); // of this process
// The number that a file of the kernel begins with; `folder` as for openat. Apart (apart.h).
std::optional<std::uint64_t> read_number(long folder, const char* path);

} // namespace teff::probe::trace
