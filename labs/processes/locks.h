// SPDX-License-Identifier: Apache-2.0
//
// Locks and critical regions. The hub knows which locks are held; a lock is identified by its
// address. A process that takes a lock receives all changes of memory. A process that releases a
// lock sends its changes.
#pragma once

#include <cstdint>

namespace teff::processes::locks {

using Key = std::uint64_t;
// No addresses. kAtomic is for what GCC has no instruction for. The lock of all atomic
// instructions, kLease, is leased: who has got it keeps it until it sends changes for whatever
// reason. If others wait, the hub asks for that by a signal.
inline constexpr Key kCritical = 1, kAtomic = 2, kLease = 3, kSharedPointers = 4;
inline Key key(const void* address) { return reinterpret_cast<Key>(address); }

void lock(Key key);
bool try_lock(Key key);
void unlock(Key key);

// Nestable: how often it is held now; 0: it is somebody else's.
// The owner is a task; or, for programs of OpenMP 2.5 and for POSIX, a thread.
unsigned lock_nested(Key key, std::uint64_t owner);
unsigned try_lock_nested(Key key, std::uint64_t owner);

// The hub learns of the locks that were taken while this process was alone.
void hand_over();

} // namespace teff::processes::locks
