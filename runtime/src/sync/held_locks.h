// SPDX-License-Identifier: Apache-2.0
//
// How many of the program's locks the calling thread's current task holds: locks, critical and
// atomic regions, counted where they are taken and given back (abi/program_locks.h).
//
// While a task that holds one waits, no other starts by its side (task/suspend.h). The count
// belongs to the task: whoever switches from one context to another keeps it with the context.
#pragma once

#include <cstdint>

namespace teff::sync {

extern constinit thread_local std::int32_t locks_held [[gnu::tls_model("initial-exec")]];

} // namespace teff::sync
