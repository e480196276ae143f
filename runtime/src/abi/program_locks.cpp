// SPDX-License-Identifier: Apache-2.0
#include "abi/program_locks.h"

#include <unistd.h>

#include "abi/lock_records.h"
#include "probe/ompt/mutex_events.h"
#include "probe/ompt/tool.h"
#include "task/lock_wait.h"
#include "task/task.h"
#include "team/probes.h"
#include "team/team.h"

namespace teff::abi {

namespace ompt = probe::ompt;

namespace {

ompt_wait_id_t id_of(const void* lock) { return reinterpret_cast<ompt_wait_id_t>(lock); }

ompt_mutex_t type_of(MutexKind kind) {
    switch (kind) {
    case MutexKind::kLock:
        return ompt_mutex_lock;
    case MutexKind::kNestLock:
        return ompt_mutex_nest_lock;
    case MutexKind::kCritical:
        return ompt_mutex_critical;
    case MutexKind::kAtomic:
        return ompt_mutex_atomic;
    }
    __builtin_unreachable();
}

// Returns a value that identifies the current task as the owner of a nest lock. The value is only
// compared, never dereferenced. The initial task of a thread is identified by the thread's own
// address, so that the value is the same before and after the thread becomes a worker: a lock alone
// does not make a thread a worker.
void* lock_owner() {
    const team::Worker* worker = team::current_worker_if_any();
    if (worker == nullptr || ((worker->task->flags & task::kImplicit) != 0 && worker->member->team->level == 0))
        return __builtin_thread_pointer();
    return worker->task;
}

// Returns the calling thread's record for the tool. If a tool is attached, makes the thread a
// worker first, because the tool must be told of the start of a thread before events of its locks.
// Returns null if there is no tool, or if the thread became a worker before the tool was attached.
ompt::ThreadRecord* thread_record() {
    if (!ompt::attached()) return nullptr;
    const team::Worker& worker = team::current_worker();
    return team::observed(worker) ? worker.ompt : nullptr;
}

// The functions below set, test and unset a nest lock, count the steps for the task, and report
// them to the tool if the thread has a record. `try_set` returns the nesting count after the call,
// 0 if it fails; `wait_and_set` waits for the lock and takes it.
template <class TrySet, class WaitAndSet>
TEFF_COLD void set_nested_told(const void* lock, base::CallSite site, TrySet&& try_set, WaitAndSet&& wait_and_set) {
    ompt::ThreadRecord* const thread = thread_record();
    if (thread != nullptr) ompt::mutex_acquire(*thread, ompt_mutex_nest_lock, id_of(lock), site);
    const int nesting = try_set();
    if (nesting <= 1) {
        const bool at_once = nesting != 0;
        const lock_records::Had had =
            at_once ? lock_records::had_at_once() : lock_records::had_after(MutexKind::kNestLock, site, wait_and_set);
        lock_records::begin_hold(lock, site, had);
    }
    if (thread != nullptr) ompt::mutex_or_nest_acquired(*thread, ompt_mutex_nest_lock, id_of(lock), nesting > 1, site);
}

template <class TrySet, class WaitAndSet>
void set_nested(const void* lock, base::CallSite site, TrySet&& try_set, WaitAndSet&& wait_and_set) {
    if (TEFF_UNLIKELY(probe::locks_may_be_told())) set_nested_told(lock, site, try_set, wait_and_set);
    else wait_and_set();
    count_taken();
}

template <class TrySet> TEFF_COLD int test_nested_told(const void* lock, base::CallSite site, TrySet&& try_set) {
    ompt::ThreadRecord* const thread = thread_record();
    if (thread != nullptr) ompt::mutex_acquire(*thread, ompt_mutex_test_nest_lock, id_of(lock), site);
    const int nesting = try_set();
    if (nesting == 1) lock_records::begin_hold(lock, site, lock_records::had_at_once());
    if (thread == nullptr) return nesting;
    if (nesting == 0) ompt::mutex_not_acquired(*thread);
    else ompt::mutex_or_nest_acquired(*thread, ompt_mutex_test_nest_lock, id_of(lock), nesting > 1, site);
    return nesting;
}

template <class TrySet> int test_nested(const void* lock, base::CallSite site, TrySet&& try_set) {
    const bool told = TEFF_UNLIKELY(probe::locks_may_be_told());
    const int nesting = told ? test_nested_told(lock, site, try_set) : try_set();
    if (nesting != 0) count_taken();
    return nesting;
}

template <class Lock> TEFF_COLD void unset_nested_told(Lock& lock, base::CallSite site) {
    ompt::ThreadRecord* const thread = thread_record();
    const lock_records::Ending ending = lock.is_set_once() ? lock_records::about_to_end(&lock) : lock_records::Ending{};
    const bool released = lock.unset();
    if (released) lock_records::ended(&lock, MutexKind::kNestLock, ending);
    if (thread == nullptr) return;
    if (released) ompt::mutex_released(*thread, ompt_mutex_nest_lock, id_of(&lock), site);
    else ompt::nest_lock(*thread, ompt_scope_end, id_of(&lock), site);
}

template <class Lock> void unset_nested(Lock& lock, base::CallSite site) {
    if (TEFF_UNLIKELY(probe::locks_may_be_told())) unset_nested_told(lock, site);
    else (void)lock.unset();
    count_given_back(site);
}

std::uint32_t thread_id() { return static_cast<std::uint32_t>(gettid()); }

} // namespace

void detail::wait(sync::ProgramLock& mutex) {
    team::Worker* worker = team::current_worker_if_any();
    if (worker == nullptr) mutex.wait(0);
    else task::wait_for_lock(*worker, mutex);
}

void detail::lock_told(sync::ProgramLock& mutex, MutexKind kind, base::CallSite site) {
    ompt::ThreadRecord* thread = thread_record();
    if (thread != nullptr) ompt::mutex_acquire(*thread, type_of(kind), id_of(&mutex), site);
    const auto wait_for_it = [&mutex]() TEFF_LOCK_CROSSES_CALLS { wait(mutex); };
    const lock_records::Had had =
        mutex.try_lock() ? lock_records::had_at_once() : lock_records::had_after(kind, site, wait_for_it);
    lock_records::begin_hold(&mutex, site, had);
    if (thread != nullptr) ompt::mutex_acquired(*thread, type_of(kind), id_of(&mutex), site);
}

bool detail::try_lock_told(sync::ProgramLock& mutex, base::CallSite site) {
    ompt::ThreadRecord* thread = thread_record();
    if (thread != nullptr) ompt::mutex_acquire(*thread, ompt_mutex_test_lock, id_of(&mutex), site);
    const bool taken = mutex.try_lock();
    if (taken) lock_records::begin_hold(&mutex, site, lock_records::had_at_once());
    if (thread == nullptr) return taken;
    if (taken) ompt::mutex_acquired(*thread, ompt_mutex_test_lock, id_of(&mutex), site);
    else ompt::mutex_not_acquired(*thread);
    return taken;
}

void detail::unlock_told(sync::ProgramLock& mutex, MutexKind kind, base::CallSite site) {
    const lock_records::Ending ending = lock_records::about_to_end(&mutex);
    mutex.unlock();
    lock_records::ended(&mutex, kind, ending);
    if (ompt::ThreadRecord* thread = thread_record()) ompt::mutex_released(*thread, type_of(kind), id_of(&mutex), site);
}

void detail::tell_init(void* lock, MutexKind kind, unsigned hint, base::CallSite site) {
    lock_records::made(lock);
    if (thread_record() != nullptr) ompt::lock_init(type_of(kind), id_of(lock), hint, site);
}

void detail::tell_destroy(void* lock, MutexKind kind, base::CallSite site) {
    if (thread_record() != nullptr) ompt::lock_destroy(type_of(kind), id_of(lock), site);
}

void set(sync::NestLock& lock, base::CallSite site) {
    const auto wait = [](sync::ProgramLock& mutex) TEFF_LOCK_CROSSES_CALLS {
        if (!mutex.try_lock()) detail::wait(mutex);
    };
    set_nested(&lock, site, [&] { return lock.try_set(lock_owner()); }, [&] { lock.set(lock_owner(), wait); });
}

int test(sync::NestLock& lock, base::CallSite site) {
    return test_nested(&lock, site, [&] { return lock.try_set(lock_owner()); });
}

void unset(sync::NestLock& lock, base::CallSite site) { unset_nested(lock, site); }

void set(sync::OldNestLock& lock, base::CallSite site) {
    set_nested(&lock, site, [&] { return lock.try_set(thread_id()); }, [&] { lock.set(thread_id()); });
}

int test(sync::OldNestLock& lock, base::CallSite site) {
    return test_nested(&lock, site, [&] { return lock.try_set(thread_id()); });
}

void unset(sync::OldNestLock& lock, base::CallSite site) { unset_nested(lock, site); }

} // namespace teff::abi
