// SPDX-License-Identifier: Apache-2.0
#include "abi/lock_records.h"

#include "probe/probes.h"
#include "probe/trace/recording.h"
#include "task/events_fragments.h"
#include "task/task.h"
#include "task/wait_site.h"
#include "team/probes.h"
#include "team/team.h"

namespace teff::abi::lock_records {

namespace {

teff_wait_kind wait_kind_of(MutexKind kind) {
    const bool critical = kind == MutexKind::kCritical || kind == MutexKind::kAtomic;
    return critical ? TEFF_WAIT_CRITICAL : TEFF_WAIT_LOCK;
}

teff_lock_kind lock_kind_of(MutexKind kind) {
    switch (kind) {
    case MutexKind::kLock:
        return TEFF_LOCK_LOCK;
    case MutexKind::kNestLock:
        return TEFF_LOCK_NEST_LOCK;
    case MutexKind::kCritical:
        return TEFF_LOCK_CRITICAL;
    case MutexKind::kAtomic:
        return TEFF_LOCK_ATOMIC;
    }
    __builtin_unreachable();
}

// Returns the calling thread's worker if its actions are recorded, otherwise null.
team::Worker* traced_worker() {
    team::Worker* const worker = team::current_worker_if_any();
    return worker != nullptr && team::traced(*worker) ? worker : nullptr;
}

// Finds the hold of a lock, and ends it. Returns false if there are no data of the hold. A thread
// that is not a worker does not search the tables of all streams, which may be thousands: a lock
// that it releases was almost always taken by itself, so it is in no table.
bool end_hold(const void* lock, probe::trace::LockHold& hold) {
    const team::Worker* const worker = traced_worker();
    if (worker == nullptr) return false;
    return worker->trace->lock_holds().end(lock, hold) || probe::trace::end_lock_hold(lock, hold);
}

} // namespace

Ticks begin_wait() {
    team::Worker* const worker = team::current_worker_if_any();
    if (worker != nullptr) {
        task::events::fragment_ends(*worker);
        worker->task->departures = 0;
    }
    return base::ticks();
}

Had end_wait(MutexKind kind, base::CallSite site, Ticks began) {
    team::Worker* const worker = team::current_worker_if_any();
    const Ticks ended = worker != nullptr ? team::recorded_until(*worker, began) : 0;
    if (ended != 0) {
        probe::trace::Stream& stream = *worker->trace;
        team::prepare_sites(*worker);
        stream.wait(began, ended, wait_kind_of(kind), worker->task->id, task::wait_site(*worker, site), 0,
                    worker->task->departures);
    }
    if (worker != nullptr) task::events::fragment_begins(*worker);
    const Ticks now = ended != 0 ? ended : base::ticks();
    return {.when = now, .waited = now - began};
}

void begin_hold(const void* lock, base::CallSite site, Had had) {
    const team::Worker* const worker = traced_worker();
    if (worker == nullptr) return;
    (void)worker->trace->lock_holds().begin(
        lock, {.had = had.when, .waited = had.waited, .task = worker->task->id, .call_site = site.code()});
}

Ending about_to_end(const void* lock) {
    Ending ending;
    if (probe::locks_may_be_recorded() && end_hold(lock, ending.hold)) ending.held_until = base::ticks();
    return ending;
}

void ended(const void* lock, MutexKind kind, const Ending& ending) {
    if (ending.held_until == 0) return;
    const team::Worker& worker = team::current_worker();
    if (!team::traced(worker)) return;
    if (kind != MutexKind::kAtomic && worker.trace->is_negligible(ending.hold, ending.held_until)) return;
    team::prepare_sites(worker);
    worker.trace->lock(lock_kind_of(kind), reinterpret_cast<std::uintptr_t>(lock), ending.hold, ending.held_until,
                       worker.trace->place(ending.hold.call_site, nullptr));
}

void made(const void* lock) {
    if (!probe::locks_may_be_recorded()) return;
    if (const team::Worker* const worker = traced_worker()) worker->trace->lock_holds().forget(lock);
}

} // namespace teff::abi::lock_records
