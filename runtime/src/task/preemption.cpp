// SPDX-License-Identifier: Apache-2.0
#include "task/preemption.h"

#include "preempt/preempt.h"
#include "task/events.h"
#include "task/suspend.h"
#include "task/taskgroup.h"

namespace teff::task {

namespace {

// Reads a field of a worker or task that may run meanwhile: the value may be out of date.
template <class T> T glance(const T& field) { return __atomic_load_n(&field, __ATOMIC_RELAXED); }

constexpr std::int32_t kNotPreemptible = INT32_MAX;

std::int32_t runs_at(const team::Worker& worker) {
    const Task* const task = glance(worker.task);
    return task == nullptr || (glance(task->flags) & kImplicit) != 0 ? kNotPreemptible : glance(task->priority);
}

// The order in which workers are asked: first the worker that runs the lowest priority; among
// equals, the first member.
struct Rank {
    std::int32_t runs;
    unsigned member;
    auto operator<=>(const Rank&) const = default;
};
constexpr Rank kBelowAll = {INT32_MIN, 0};

team::Worker* next_to_ask(const team::Team& team, const team::Worker* self, std::int32_t priority, Rank& after) {
    team::Worker* found = nullptr;
    Rank lowest = {};
    for (unsigned i = 0; i < team.size; ++i) {
        team::Worker* const worker = team.members[i]->worker;
        if (worker == nullptr || worker == self) continue;
        if (worker->parked.load(std::memory_order_relaxed)) continue; // a parked worker looks itself
        const Rank rank = {runs_at(*worker), i};
        const bool may_serve = rank.runs < priority || rank.runs == kNotPreemptible;
        if (!may_serve || rank <= after || (found != nullptr && rank >= lowest)) continue;
        lowest = rank;
        found = worker;
    }
    after = lowest;
    return found;
}

// Asks the member that runs the lowest priority, if this is below `priority`. If there is none,
// asks a member that is outside of tasks: it may be about to begin, or to resume, a task that it
// chose before the new task was there. If a member cannot be asked, goes on to the next: a member
// can be asked if it has a thread that does not sleep in the system.
void ask_next(const team::Team& team, const team::Worker* self, std::int32_t priority, Rank after) {
    while (team::Worker* const victim = next_to_ask(team, self, priority, after)) {
        const preempt::Asked asked = preempt::request(victim->target, static_cast<std::uint32_t>(priority));
        if (asked == preempt::Asked::signalled || asked == preempt::Asked::joined) return;
    }
}

// Called when the worker was asked, but may not run what is ready, or not soon. Passes the request
// on. Ranks go up, so the passing ends.
void pass_request_on(team::Worker& worker, std::int32_t runs) {
    const team::Team& team = *worker.member->team;
    const std::int32_t highest = team.ready.highest();
    if (highest > runs) ask_next(team, &worker, highest, {runs, worker.member->number});
}

// Returns true if the worker's member and its task belong to one team. The thread may be at any
// point: if it is about to enter or to leave a nested region, its member and its task are not of
// one team, and the team's members may change.
bool is_settled_in_team(const team::Worker& worker) {
    const Task* task = worker.task;
    while (task != nullptr && (task->flags & kImplicit) == 0)
        task = task->below();
    return task != nullptr && worker.member != nullptr && task == worker.member->implicit_task;
}

void cannot_soon(preempt::Target&) {
    team::Worker* const worker = team::current_worker_if_any();
    if (worker == nullptr || runs_at(*worker) == kNotPreemptible || !is_settled_in_team(*worker)) return;
    pass_request_on(*worker, runs_at(*worker));
}

// Returns what the worker is to run in place of its task; nothing if no ready work has a higher
// priority than the task.
Other find_above(team::Worker& worker) {
    const sched::Row row = row_of(worker, WaitKind::kIsPreempted);
    const std::int32_t priority = worker.task->priority;
    sched::Seen seen;
    see(worker, seen);
    if (seen.ready <= priority) seen.ready = sched::kNoLevel;
    seen.higher = worker.member->team->has_tasks.load(std::memory_order_relaxed);
    for (sched::Act act = choose(row, seen); act != sched::Act::kIdle; act = choose(row, seen)) {
        if (const Other other = find_other(worker, WaitKind::kIsPreempted, act, sched::Look::kBrief)) return other;
        if (act == sched::Act::kResume) seen.ready = sched::kNoLevel;
        else seen.higher = false;
    }
    return {};
}

preempt::Stack stack_to_leave(preempt::Target&) {
    team::Worker* const worker = team::current_worker_if_any();
    if (worker == nullptr || team::observed(*worker)) return {nullptr, nullptr};
    const team::StackBounds bounds = team::stack_bounds(*worker);
    return {bounds.low, bounds.high};
}

bool is_stressed() { return icv::global().preemption.source == icv::PreemptionSource::stress; }

// TEFF_PREEMPT=stress: returns anything else that the worker may run. By turns, a context that goes
// on and a task that starts come first.
TEFF_COLD Other find_any(team::Worker& worker) {
    const sched::Row row = row_of(worker, WaitKind::kIsPreempted);
    worker.starts_next = !worker.starts_next;
    const Other none;
    const auto find = [&](sched::Act act) {
        const bool may = act == sched::Act::kStart ? row.starts : row.resumes == sched::Resumes::kAny;
        return may ? find_other(worker, WaitKind::kIsPreempted, act, sched::Look::kBrief) : none;
    };
    const Other first = find(worker.starts_next ? sched::Act::kStart : sched::Act::kResume);
    return first ? first : find(worker.starts_next ? sched::Act::kResume : sched::Act::kStart);
}

Other find_better(team::Worker& worker) {
    if (TEFF_UNLIKELY(is_stressed())) return find_any(worker);
    return find_above(worker);
}

// Returns true if the task may take part in a task reduction. Then it may be updating the copy that
// its thread has for the group, so it is not preempted.
bool may_reduce(const Task& task) {
    const Taskgroup* group = task.group;
    while (group != nullptr && group->reductions == nullptr)
        group = group->outer;
    return group != nullptr;
}

bool may_switch(preempt::Target& self, std::uint32_t asked) {
    team::Worker& worker = team::current_worker();
    if (runs_at(worker) == kNotPreemptible) { // it may come to a task while another one waits
        const std::int32_t highest = worker.member->team->ready.highest();
        if (highest > 0) preempt::ask_self_again(self, static_cast<std::uint32_t>(highest));
        return false;
    }
    const Other other = may_reduce(*worker.task) ? Other{} : find_better(worker);
    worker.preempting_context = other.context;
    worker.preempting_task = other.starts;
    if (!other && asked != 0) pass_request_on(worker, worker.task->priority);
    return static_cast<bool>(other);
}

void switch_away(preempt::Target&) {
    team::Worker& worker = team::current_worker();
    const bool probed = TEFF_UNLIKELY(worker.probes != 0);
    const base::Ticks left = probed ? base::ticks() : 0;
    give_way(worker, {.context = worker.preempting_context, .starts = worker.preempting_task},
             is_stressed() ? Goes::kToEnd : Goes::kToHead);
    if (probed) events::preempted(worker, left);
}

// Returns true if at least `wanted` members are without work, outside of tasks.
bool find_takers(const team::Team& team, std::int64_t wanted) {
    std::int64_t idle = 0;
    for (unsigned i = 0; i < team.size; ++i) {
        const team::Worker* const worker = team.members[i]->worker;
        if (worker == nullptr || !worker->parked.load(std::memory_order_relaxed)) continue;
        const Task* const task = glance(worker->task);
        if (task != nullptr && (glance(task->flags) & kWaitsOutside) != 0) ++idle;
    }
    return idle >= wanted;
}

} // namespace

void initialise_preemption() {
    preempt::set_hooks(
        {.stack = stack_to_leave, .may_switch = may_switch, .switch_away = switch_away, .cannot_soon = cannot_soon});
}

void begin_preemptible(team::Worker& worker) {
    if (!preempt::is_on()) return;
    (void)team::stack_bounds(worker); // before a handler asks
    preempt::register_thread(worker.target);
}

void end_preemptible(team::Worker& worker) {
    if (preempt::is_on()) preempt::unregister_thread(worker.target);
}

void give_way_to_higher(team::Worker& worker) {
    const std::int32_t priority = runs_at(worker);
    if (priority == kNotPreemptible || team::observed(worker) || preempt::holds()) return;
    if (const Other other = find_above(worker)) give_way(worker, other, Goes::kToHead);
}

void ask_for(team::Team& team, const team::Worker* self, std::int32_t priority) {
    if (find_takers(team, team.ready.raised())) return; // the idle members have been woken
    ask_next(team, self, priority, kBelowAll);
}

} // namespace teff::task
