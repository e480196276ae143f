// SPDX-License-Identifier: Apache-2.0
//
// How many of the program's locks the calling thread's current task holds: locks, critical and
// atomic regions, counted where they are taken and given back (abi/program_locks.h).
//
// While a task that holds such a lock waits, no other task starts beside it (task/suspend.h). The
// count belongs to the task, so a switch of contexts saves and restores it.
#pragma once

#include <cstdint>

namespace teff::sync {

extern constinit thread_local std::int32_t locks_held [[gnu::tls_model("initial-exec")]];

} // namespace teff::sync
