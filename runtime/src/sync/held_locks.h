// SPDX-License-Identifier: Apache-2.0
//
// The number of the program's locks that the calling thread's current task holds. The functions
// that take and release locks, and those that enter and leave critical and atomic regions, update
// this number (abi/program_locks.h).
//
// While a task that holds a lock waits, no other task starts on a stack of its own
// (task/suspend.h). The count belongs to the task, so a switch of contexts saves and restores it.
#pragma once

#include <cstdint>

namespace teff::sync {

extern constinit thread_local std::int32_t locks_held [[gnu::tls_model("initial-exec")]];

} // namespace teff::sync
