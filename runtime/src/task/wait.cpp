// SPDX-License-Identifier: Apache-2.0
#include "task/wait.h"

#include <algorithm>
#include <utility>

#include "sync/held_locks.h"
#include "task/events_counted.h"

namespace teff::task {

namespace {

// A task that yields this many times in a row polls for something that other tasks cause. A yield
// that is left out costs 2 ns; a change of contexts and back costs some 100 ns.
constexpr unsigned kYieldsOfOnePoll = 8;
// After this number of polls the look is thorough, because tasks that poll repeatedly may wait for
// a task that a brief look does not find.
constexpr unsigned kBriefPolls = 16;

// Returns true if this yield is left out. A yield is never left out if a task of a higher priority
// is ready.
bool leaves_turn_out(team::Worker& worker) {
    team::Member& member = *worker.member;
    const std::uint64_t task = worker.task->id;
    const std::uint64_t finished = member.finished.load(std::memory_order_relaxed);
    const bool in_a_row = worker.yielding == task && worker.finished_at_yield == finished;
    worker.yielding = task;
    worker.finished_at_yield = finished;
    worker.yields = in_a_row ? worker.yields + 1 : 1;
    if (worker.yields % kYieldsOfOnePoll == 0) return false;
    if (TEFF_LIKELY(member.team->ready.raised() <= 0 && !member.ready.any())) return true;
    const std::int32_t priority = worker.task->priority;
    return highest_ready(worker) <= priority && member.team->ready.highest() <= std::max(priority, 0);
}

bool try_give_way(team::Worker& worker, const Other& other, base::CallSite site, base::Ticks met, Caller caller,
                  Goes goes = Goes::kToEnd) {
    if (!other) return false;
    const bool probed = TEFF_UNLIKELY(worker.probes != 0);
    const base::Ticks began = probed ? events::wait_begins(worker, events::Wait::kYield, site, met) : 0;
    give_way(worker, other, goes, probed ? Caller::kStays : caller);
    if (probed) events::wait_ends(worker, events::Wait::kYield, site, began);
    return true;
}

} // namespace

// Used if the counters are the only sink, and take no times.
TEFF_APART static void wait_for_children_counted(team::Worker& worker) {
    counting::waits(*worker.stat);
    Task& waiting = *worker.task;
    if (!waiting.children_ended()) wait_until(worker, ChildrenEnded{{.waiting = waiting}});
    counting::enter(*worker.stat, TEFF_STAT_USER);
}

void wait_for_children_slow(team::Worker& worker, base::CallSite site) {
    if (team::only_counted_untimed(worker)) return wait_for_children_counted(worker);
    const base::Ticks began = events::wait_begins(worker, events::Wait::kTaskwait, site);
    wait_until(worker, ChildrenEnded{{.waiting = *worker.task}});
    events::wait_ends(worker, events::Wait::kTaskwait, site, began);
}

void run_what_is_ready(team::Worker& worker) {
    ChildrenEnded until{{.waiting = *worker.task}};
    if (is_barred(worker)) return;
    while (Task* task = Wait::next_task(worker, until))
        run_taken(worker, *task);
    pass_on_ends_if_any(worker);
}

bool help(team::Worker& worker, base::CallSite site) {
    if (sync::locks_held != 0) return false; // the descendant might need the same lock
    ChildrenEnded until{{.waiting = *worker.task}};
    Task* const task = is_barred(worker) ? nullptr : Wait::next_task(worker, until);
    if (task == nullptr) return false;
    const bool probed = TEFF_UNLIKELY(worker.probes != 0);
    const base::Ticks began = probed ? events::wait_begins(worker, events::Wait::kYield, site, 0) : 0;
    run_taken(worker, *task);
    pass_on_ends_if_any(worker);
    if (probed) events::wait_ends(worker, events::Wait::kYield, site, began);
    return true;
}

// The creator's context waits in the line of the continued one's priority. So the creator continues
// when that task ends or waits, although queued tasks may have a higher priority than the creator.
void continue_begun_slow(team::Worker& worker, base::CallSite site) {
    if ((worker.task->flags & kImplicit) == 0 || highest_ready(worker) < worker.task->priority) return;
    if (row_of(worker, WaitKind::kYields).resumes != sched::Resumes::kAny) return;
    const base::Ticks met = TEFF_UNLIKELY(worker.probes != 0) ? base::ticks() : 0;
    const Other begun = find_other(worker, WaitKind::kYields, sched::Act::kResume, sched::Look::kBrief);
    try_give_way(worker, begun, site, met, Caller::kStays, Goes::kBesideOther);
}

bool queue_below_higher(team::Worker& worker, Task& task) {
    if (!row_of(worker, WaitKind::kYields).starts) return false;
    const base::Ticks met = TEFF_UNLIKELY(worker.probes != 0) ? base::ticks() : 0;
    const Other higher = find_other(worker, WaitKind::kYields, sched::Act::kStartHigher, sched::Look::kBrief);
    if (!higher) return false;
    team::Member& member = *worker.member;
    member.team->ready.make_ready_past_limit(member.lane, &task);
    return try_give_way(worker, higher, {}, met, Caller::kStays); // the creation goes on with this worker
}

// Tasks that start and contexts that continue are tried first alternately.
void yield_slow(team::Worker& worker, base::CallSite site) {
    if (leaves_turn_out(worker)) return;
    const base::Ticks met = TEFF_UNLIKELY(worker.probes != 0) ? base::ticks() : 0;
    const sched::Row row = row_of(worker, WaitKind::kYields);
    const sched::Look look =
        worker.yields % (kYieldsOfOnePoll * kBriefPolls) == 0 ? sched::Look::kThorough : sched::Look::kBrief;
    const bool starts = std::exchange(worker.starts_next, !worker.starts_next);
    const sched::Act acts[] = {starts ? sched::Act::kStart : sched::Act::kResume,
                               starts ? sched::Act::kResume : sched::Act::kStart};
    for (const sched::Act act : acts) {
        const bool may = act == sched::Act::kStart ? row.starts : row.resumes == sched::Resumes::kAny;
        if (may && try_give_way(worker, find_other(worker, WaitKind::kYields, act, look), site, met, Caller::kMayMove))
            return;
    }
    note_turn(worker);
}

} // namespace teff::task
