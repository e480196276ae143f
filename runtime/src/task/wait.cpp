// SPDX-License-Identifier: Apache-2.0
#include "task/wait.h"

#include <algorithm>
#include <utility>

#include "sync/held_locks.h"
#include "task/events_counted.h"

namespace teff::task {

namespace {

constexpr unsigned kFurther = 31; // they share the costs of a stack

// Runs a descendant of the current task, and up to `further` of the member's. False: there is none.
// `met`, here and below: when the construct was met, if a probe is on; else 0.
bool try_help(team::Worker& worker, base::CallSite site, base::Ticks met, unsigned further = 0) {
    ChildrenEnded until{{.worker = worker, .waiting = *worker.task}};
    Task* const task = Wait::next_task(worker, until);
    if (task == nullptr) return false;
    const bool probed = TEFF_UNLIKELY(worker.probes != 0);
    const base::Ticks began = probed ? events::wait_begins(worker, events::Wait::kYield, site, met) : 0;
    run_beside(worker, *task, further);
    if (probed) events::wait_ends(worker, events::Wait::kYield, site, began);
    return true;
}

// Tasks that yield over and over, while none ends here, may wait for one that a brief look does not
// find.
sched::Look look_for_yield(team::Worker& worker) {
    constexpr unsigned kBriefOnes = 16;
    const std::uint64_t finished = worker.member->finished.load(std::memory_order_relaxed);
    if (worker.finished_at_yield != finished) worker.yields = 0;
    worker.finished_at_yield = finished;
    return ++worker.yields % kBriefOnes == 0 ? sched::Look::kThorough : sched::Look::kBrief;
}

// Where contexts do not pay, most of the turns that a task asks for are left out; but not while a
// task of a higher priority is ready.
TEFF_COLD bool leaves_turn_out(team::Worker& worker) {
    team::Member& member = *worker.member;
    const std::int32_t priority = worker.task->priority;
    const team::Context* const first = member.ready.first();
    if (first != nullptr && first->priority > priority) return false;
    return member.team->ready.highest() <= std::max(priority, 0) && worker.supervisor.leaves_out();
}

bool try_give_way(team::Worker& worker, const Other& other, base::CallSite site, base::Ticks met) {
    if (!other) return false;
    const bool probed = TEFF_UNLIKELY(worker.probes != 0);
    const base::Ticks began = probed ? events::wait_begins(worker, events::Wait::kYield, site, met) : 0;
    give_way(worker, other, Goes::kToEnd);
    if (probed) events::wait_ends(worker, events::Wait::kYield, site, began);
    return true;
}

// Beside a task that holds a lock nothing starts, nor on top of it: it might want the same lock.
bool holds_lock() { return TEFF_UNLIKELY(sync::locks_held != 0); }

} // namespace

// With the counters alone, and without times.
TEFF_APART static void wait_for_children_counted(team::Worker& worker) {
    counting::waits(*worker.stat);
    Task& waiting = *worker.task;
    if (!waiting.children_ended()) wait_until(worker, ChildrenEnded{{.worker = worker, .waiting = waiting}});
    counting::enter(*worker.stat, TEFF_STAT_USER);
}

void wait_for_children_slow(team::Worker& worker, base::CallSite site) {
    if (team::only_counted_untimed(worker)) return wait_for_children_counted(worker);
    const base::Ticks began = events::wait_begins(worker, events::Wait::kTaskwait, site);
    wait_until(worker, ChildrenEnded{{.worker = worker, .waiting = *worker.task}});
    events::wait_ends(worker, events::Wait::kTaskwait, site, began);
}

void run_what_is_ready(team::Worker& worker) {
    ChildrenEnded until{{.worker = worker, .waiting = *worker.task}};
    while (Task* task = Wait::next_task(worker, until))
        run(worker, *task);
    pass_on_ends_if_any(worker);
}

void help(team::Worker& worker, base::CallSite site) {
    if (!holds_lock()) (void)try_help(worker, site, 0, kFurther);
}

void yield_slow(team::Worker& worker, base::CallSite site) {
    worker.leaves.forget();
    if (holds_lock()) return;
    const base::Ticks met = TEFF_UNLIKELY(worker.probes != 0) ? base::ticks() : 0;
    if (TEFF_UNLIKELY(worker.supervisor.holds_back()) && leaves_turn_out(worker)) return;
    if (try_give_way(worker, find_aside(worker), site, met)) return; // else ready ones could keep it from going on
    const bool starts = std::exchange(worker.starts_next, !worker.starts_next);
    if (!starts && try_give_way(worker, find_ready(worker), site, met)) return;
    if (try_help(worker, site, met) || try_give_way(worker, start_other(worker, look_for_yield(worker)), site, met))
        return;
    if (starts && try_give_way(worker, find_ready(worker), site, met)) return;
    note_turn(worker);
}

} // namespace teff::task
