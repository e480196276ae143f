// SPDX-License-Identifier: Apache-2.0
//
// Locks and critical regions. The hub knows which locks are held; a lock is identified by its
// address. A process that takes a lock receives all changes of memory. A process that releases a
// lock sends its changes.
#pragma once

#include <cstdint>

namespace teff::processes::locks {

using Key = std::uint64_t;
// Keys that are no addresses. kAtomic is for atomic operations for which GCC has no instruction.
// kLease, the lock of all atomic instructions, is leased: a process that has got it keeps it until
// it next sends changes. If other processes wait for it, the hub asks for the lease by a signal.
inline constexpr Key kCritical = 1, kAtomic = 2, kLease = 3, kSharedPointers = 4;
inline Key key(const void* address) { return reinterpret_cast<Key>(address); }

void lock(Key key);
bool try_lock(Key key);
void unlock(Key key);

// Takes a nestable lock. Returns how often it is held now, or 0 if another owner holds it. The
// owner is a task or, for programs of OpenMP 2.5 and for POSIX, a thread.
unsigned lock_nested(Key key, std::uint64_t owner);
unsigned try_lock_nested(Key key, std::uint64_t owner);

// The hub learns of the locks that were taken while this process was alone.
void hand_over();

} // namespace teff::processes::locks
