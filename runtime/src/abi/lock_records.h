// SPDX-License-Identifier: Apache-2.0
//
// What a recording gets of the program's locks: a WAIT of each wait, when it is over, and a LOCK of
// each hold, when the lock has been given back. In between, the hold lies with the worker that took
// the lock (probe/trace/lock_holds.h). Called only while something listens to locks
// (probe/probes.h), by the thread that takes a lock or gives it back.
//
// A thread that is no worker has no stream: the holds that it begins or ends are not recorded.
#pragma once

#include "abi/program_locks.h"
#include "base/clock.h"
#include "probe/trace/lock_holds.h"

namespace teff::abi::lock_records {

using base::Ticks;

// When a lock was taken, and how long its taker has waited for it.
struct Had {
    Ticks when;
    Ticks waited;
};
inline Had had_at_once() { return {.when = base::ticks(), .waited = 0}; }

// Takes a lock by `wait()`, after it was not free at once.
Ticks begin_wait();
Had end_wait(MutexKind kind, base::CallSite site, Ticks began);
template <class Wait> Had had_after(MutexKind kind, base::CallSite site, Wait&& wait) {
    const Ticks began = begin_wait();
    wait();
    return end_wait(kind, site, began);
}

// The current task has taken the lock.
void begin_hold(const void* lock, base::CallSite site, Had had);

// It is about to be given back, and is. Before the second of them the lock may be another's.
struct Ending {
    probe::trace::LockHold hold;
    Ticks held_until = 0; // 0: nothing is known of the hold
};
Ending about_to_end(const void* lock);
void ended(const void* lock, MutexKind kind, const Ending& ending);

// The lock is made, where another may have lain that this thread never gave back.
void made(const void* lock);

} // namespace teff::abi::lock_records
