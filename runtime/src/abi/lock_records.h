// SPDX-License-Identifier: Apache-2.0
//
// Records the program's locks: a WAIT record for each wait, written when the wait is over, and a
// LOCK record for each hold, written when the lock has been released. Until then the worker that
// took the lock keeps the data of the hold (probe/trace/lock_holds.h). The functions are called by
// the thread that takes or releases a lock, and only while a probe observes locks (probe/probes.h).
//
// A thread that is not a worker has no stream, so the holds that it begins or ends are not
// recorded.
#pragma once

#include "abi/program_locks.h"
#include "base/clock.h"
#include "probe/trace/lock_holds.h"

namespace teff::abi::lock_records {

using base::Ticks;

// The time at which a lock was taken, and how long its holder had waited for it.
struct Had {
    Ticks when;
    Ticks waited;
};
inline Had had_at_once() { return {.when = base::ticks(), .waited = 0}; }

// had_after takes a lock by calling `wait()`, and records the wait. Used if the lock was not free
// at once. It calls begin_wait before `wait()` and end_wait after it.
Ticks begin_wait();
Had end_wait(MutexKind kind, base::CallSite site, Ticks began);
template <class Wait> Had had_after(MutexKind kind, base::CallSite site, Wait&& wait) {
    const Ticks began = begin_wait();
    wait();
    return end_wait(kind, site, began);
}

// Records that the current task has taken the lock. Called by the thread that took the lock.
void begin_hold(const void* lock, base::CallSite site, Had had);

// A release takes two calls: about_to_end before the lock is released, and `ended`, with the result
// of about_to_end, after the release. Another thread may have taken the lock before `ended` is
// called.
struct Ending {
    probe::trace::LockHold hold;
    Ticks held_until = 0; // 0: the hold has no data, so it is not recorded
};
Ending about_to_end(const void* lock);
void ended(const void* lock, MutexKind kind, const Ending& ending);

// Called when a lock has been initialised. Forgets a hold, begun by this thread and never ended, of
// an earlier lock at the same address.
void made(const void* lock);

} // namespace teff::abi::lock_records
