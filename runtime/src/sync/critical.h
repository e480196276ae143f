// SPDX-License-Identifier: Apache-2.0
//
// The locks of the critical and atomic constructs.
//
// All unnamed critical regions share one lock. All atomic operations for which the processor has no
// instruction share another lock. A named critical region has a word of its own: the compiler emits
// a pointer-sized variable, all zero at the start, whose first four bytes are the lock.
#pragma once

#include "sync/program_lock.h"

namespace teff::sync {

extern constinit ProgramLock critical_lock;
extern constinit ProgramLock atomic_lock;

// Called in a forked child. Makes both locks free and empties the queues of LockWaiters, because no
// thread that waited in place still exists. If a lock is held, its holder is either a thread that
// no longer exists or the child's only thread. In the second case the thread will later unlock a
// free lock, which does no harm. (The function does not change the words of named critical regions
// and the program's own locks: like the program's mutexes, they belong to the program.)
void forget_other_threads();

// Returns the lock in the word of a named critical region.
inline ProgramLock& named_critical_lock(void** word) {
    static_assert(sizeof(ProgramLock) <= sizeof(*word) && alignof(ProgramLock) <= alignof(void*));
    return *static_cast<ProgramLock*>(static_cast<void*>(word));
}

} // namespace teff::sync
