// SPDX-License-Identifier: Apache-2.0
//
// Operations on the program's locks, including those of critical and atomic regions. They also
// report to the probes: waits and holds to a recording (lock_records.h), every step to a tool.
//
// The functions do not make the calling thread a worker, unless a tool is attached: locks are also
// used by threads that do not use OpenMP otherwise.
#pragma once

#include "base/call_site.h"
#include "preempt/hold.h"
#include "probe/probes.h"
#include "sync/held_locks.h"
#include "sync/omp_lock.h"
#include "sync/program_lock.h"

namespace teff::abi {

enum class MutexKind : std::uint8_t { kLock, kNestLock, kCritical, kAtomic };

namespace detail {
TEFF_COLD void wait(sync::ProgramLock& mutex) TEFF_LOCK_CROSSES_CALLS;
TEFF_COLD void lock_told(sync::ProgramLock& mutex, MutexKind kind, base::CallSite site) TEFF_LOCK_CROSSES_CALLS;
TEFF_COLD bool try_lock_told(sync::ProgramLock& mutex, base::CallSite site) TEFF_LOCK_CROSSES_CALLS;
TEFF_COLD void unlock_told(sync::ProgramLock& mutex, MutexKind kind, base::CallSite site) TEFF_LOCK_CROSSES_CALLS;
TEFF_COLD void tell_init(void* lock, MutexKind kind, unsigned hint, base::CallSite site);
TEFF_COLD void tell_destroy(void* lock, MutexKind kind, base::CallSite site);
} // namespace detail

// Count a lock that the current task has taken, or that it has released.
inline void count_taken() {
    ++sync::locks_held;
    preempt::hold();
}
inline void count_given_back(base::CallSite site) {
    --sync::locks_held;
    preempt::release(site.code());
}

inline void lock(sync::ProgramLock& mutex, MutexKind kind, base::CallSite site) TEFF_LOCK_CROSSES_CALLS {
    if (TEFF_UNLIKELY(probe::locks_may_be_told())) detail::lock_told(mutex, kind, site);
    else if (TEFF_UNLIKELY(!mutex.try_lock())) detail::wait(mutex);
    count_taken();
}

inline bool try_lock(sync::ProgramLock& mutex, base::CallSite site) TEFF_LOCK_CROSSES_CALLS {
    const bool told = TEFF_UNLIKELY(probe::locks_may_be_told());
    const bool taken = told ? detail::try_lock_told(mutex, site) : mutex.try_lock();
    if (taken) count_taken();
    return taken;
}

inline void unlock(sync::ProgramLock& mutex, MutexKind kind, base::CallSite site) TEFF_LOCK_CROSSES_CALLS {
    if (TEFF_UNLIKELY(probe::locks_may_be_told())) detail::unlock_told(mutex, kind, site);
    else mutex.unlock();
    count_given_back(site);
}

// Report a lock to the probes: told_init after the lock was initialised, told_destroy before its
// memory is freed.
inline void told_init(void* lock, MutexKind kind, base::CallSite site) {
    constexpr unsigned kNoHint = 0;
    if (TEFF_UNLIKELY(probe::locks_may_be_told())) detail::tell_init(lock, kind, kNoHint, site);
}
inline void told_destroy(void* lock, MutexKind kind, base::CallSite site) {
    if (TEFF_UNLIKELY(probe::locks_may_be_told())) detail::tell_destroy(lock, kind, site);
}

// Operations on nest locks. A NestLock is owned by the current task, an OldNestLock by the thread.
// `test` returns the nesting count after the call; 0 if the lock was not taken.
void set(sync::NestLock& lock, base::CallSite site);
int test(sync::NestLock& lock, base::CallSite site);
void unset(sync::NestLock& lock, base::CallSite site);
void set(sync::OldNestLock& lock, base::CallSite site);
int test(sync::OldNestLock& lock, base::CallSite site);
void unset(sync::OldNestLock& lock, base::CallSite site);

} // namespace teff::abi
