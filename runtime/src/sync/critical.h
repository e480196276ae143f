// SPDX-License-Identifier: Apache-2.0
//
// The locks of the critical and atomic constructs.
//
// Unnamed critical regions share one lock, and so do the atomic operations for which the processor
// has no instruction. A named critical region has a word of its own: the compiler emits a
// pointer-sized variable, all zero at the start, whose first four bytes are the lock.
#pragma once

#include "sync/program_lock.h"

namespace teff::sync {

extern constinit ProgramLock critical_lock;
extern constinit ProgramLock atomic_lock;

// In a forked child. A lock that is held is held by a thread that is gone, or by the only one there
// is, whose unlock of a free lock does no harm. Nobody is left who waits in place. (The words of
// named critical regions and the program's own locks are the program's, as its mutexes are.)
void forget_other_threads();

inline ProgramLock& named_critical_lock(void** word) {
    static_assert(sizeof(ProgramLock) <= sizeof(*word) && alignof(ProgramLock) <= alignof(void*));
    return *static_cast<ProgramLock*>(static_cast<void*>(word));
}

} // namespace teff::sync
