// SPDX-License-Identifier: Apache-2.0
#include "task/suspend.h"

#include <algorithm>
#include <utility>

#include "icv/icv.h"
#include "preempt/hold.h"
#include "preempt/preempt.h"
#include "sync/held_locks.h"
#include "task/waiting.h"

namespace teff::task {

namespace {

// The innermost tied task of the member on the current context, unless it waits at a barrier; null
// also if nobody asks. An undeferred task starts whatever the constraint says, so it counts as a
// part of its creator: else two of them could keep each other's children from starting.
const Task* innermost_tied(const team::Worker& worker) {
    if (icv::global().task_constraints == icv::TaskConstraints::relaxed) return nullptr;
    const Task* task = worker.task;
    while ((task->flags & (kUntied | kUndeferred)) != 0)
        task = task->below();
    return (task->flags & kAtGround) == 0 ? task : nullptr;
}

// Enters the current context among those that wait, so that what starts now may start. False: it
// is there.
bool enlist_current(team::Worker& worker, const Taskgroup* group = nullptr) {
    team::Context& self = *worker.context;
    if (self.link != nullptr) return false;
    self.member = worker.member;
    self.task = worker.task;
    self.group = group;
    self.tied = innermost_tied(worker);
    team::enlist(self, self.tied != nullptr ? self.tied->depth.get() : 0);
    return true;
}

// Tasks that may start, above a priority. Only for those that cannot vanish while it looks.
struct MayStartAbove : MayStart {
    MayStartAbove(const team::Worker& worker, std::int32_t priority) : MayStart(worker), above(priority) {}
    bool operator()(const sched::Runnable* item) const { return item->priority > above && MayStart::operator()(item); }

    std::int32_t above;
};

// The context gets to know what the worker comes back to.
void set_aside(team::Worker& worker) {
    pass_on_ends_if_any(worker);
    (void)enlist_current(worker);
    team::Context& self = *worker.context;
    if (self.first != nullptr) // one of those before it leaves the context (bottom)
        self.team->ready.make_ready_anywhere(std::exchange(self.first, nullptr));
    self.priority = worker.task->priority;
    self.since = worker.member->lane.since;
    self.locks_held = std::exchange(sync::locks_held, 0);
    self.held = preempt::exchange_held(0);
}

// Tasks of several contexts come into the member's lane by turns.
void doubt_lane(const team::Worker& worker) { worker.member->team->ready.doubt(worker.member->lane); }

// At the bottom of a context, outside of its tasks: until there is a context to leave it for, which
// is `next`, or it is ground's turn.
struct AtBottom {
    team::Worker& worker;
    team::Context* next = nullptr;

    bool over() const {
        const team::Member& member = *worker.member;
        return next != nullptr || others_first(worker) || member.aside != nullptr || member.ground != nullptr;
    }
    static bool try_arm() { return true; } // who makes a context ready wakes the worker
    static void disarm() {}
    static void ran_out() {}
    MayStart eligible() const { return MayStart(worker); }
    // One that goes after tasks of a higher priority, none of which may start.
    Other find_other(sched::Look) const { return find_ready(worker); }
    static void go_to_other(AtBottom& condition, const Other& ready) { condition.next = ready.context; }
};

// The newest that `wanted(context)` says yes to. Null: there is none.
template <class Wanted> team::Context* take_aside_if(team::Member& member, Wanted&& wanted) {
    team::Context** at = &member.aside;
    while (*at != nullptr && !wanted(**at))
        at = &(*at)->line.next;
    team::Context* const found = *at;
    if (found != nullptr) *at = found->line.next;
    return found;
}
team::Context* take_aside(team::Member& member) {
    return take_aside_if(member, [](const team::Context&) { return true; });
}

// In an orphaned team nobody is left to notify. Null: none waits.
team::Context* forsaken(const team::Member& member) {
    team::Context* context = member.suspended;
    if (context != nullptr && context == member.ground) context = context->after;
    if (context != nullptr) (void)context->notification.set_aside();
    return context;
}

team::Context& next_from_bottom(team::Worker& worker) {
    team::Member& member = *worker.member;
    AtBottom at_bottom{worker};
    Wait().until(worker, at_bottom);
    if (at_bottom.next != nullptr) return *at_bottom.next;
    const bool ready_first = others_first(worker) || (member.aside == nullptr && member.ground == nullptr);
    team::Context* const ready = ready_first ? member.ready.take() : take_aside(member);
    if (ready != nullptr) return *ready;
    return member.ground != nullptr ? *member.ground : *forsaken(member);
}

void arrive_at(team::Worker& worker, team::Context& context) {
    team::Member& member = *worker.member;
    if (&context == member.ground) member.ground = nullptr;
    else context.notification.resume();
}

// There is no stack: what may run on top of the current task, beside its descendants.
TEFF_COLD Other find_for_top(team::Worker& worker, sched::Look look) {
    const DescendsFromTied allowed(worker);
    if (allowed(*worker.task)) return {}; // its own descendants will do
    sched::Runnable* const found = worker.member->team->ready.take_unrelated(worker.member->lane, allowed, look);
    return {.starts = static_cast<Task*>(found)};
}

// A task at the bottom of a context, and whether it came to a scheduling point (team/leaf_runs.h).
void run_noting(team::Worker& worker, Task& task) {
    const auto function = task.function;
    const std::uint64_t created = worker.member->created.load(std::memory_order_relaxed);
    run(worker, task);
    worker.leaves.note(function, worker.member->created.load(std::memory_order_relaxed) == created);
}

// Tasks that the member has made ready, the newest first; as long as no context goes first.
void run_further(team::Worker& worker, unsigned at_most) {
    team::Member& member = *worker.member;
    for (unsigned i = 0; i < at_most && !others_first(worker); ++i) {
        sched::Runnable* const next = member.team->ready.take_own(member.lane, MayStart(worker));
        if (next == nullptr) return;
        run_noting(worker, *static_cast<Task*>(next));
    }
}

// The first function on a fresh context. What it runs further goes first: that makes room in the
// queue for what its first task creates.
void bottom(void* argument) {
    auto& self = *static_cast<team::Context*>(argument);
    team::Worker& worker = self.worker;
    worker.task = worker.member->implicit_task;
    preempt::changed_stack(worker.target);
    run_further(worker, std::exchange(self.further, 0));
    if (self.first != nullptr) run_noting(worker, *std::exchange(self.first, nullptr));
    pass_on_ends_if_any(worker);
    const team::Context* const below = worker.member->aside; // as good as the one that this was on top of
    team::Context& next = next_from_bottom(worker);
    if (&next != below) doubt_lane(worker);
    arrive_at(worker, next);
    team::leave_context_for(worker, next);
}

constexpr fiber::After kNothingToDo = {[](void*) {}, nullptr};

} // namespace

bool ready_is_first(team::Worker& worker) {
    const team::Context* const first = worker.member->ready.first();
    return first != nullptr && worker.member->team->ready.highest() <= first->priority;
}

Other find_aside(team::Worker& worker) { return {.context = take_aside(*worker.member)}; }

Other find_ready(team::Worker& worker) {
    team::Context* const ready = worker.member->ready.take();
    return {.context = ready != nullptr ? ready : take_aside(*worker.member)};
}

Other find_ready_descendant(team::Worker& worker, const Taskgroup* group) {
    const Task& waiting = *worker.task;
    const auto is_below = [&](const team::Context& context) {
        if (group != nullptr && context.task->group == group) return true;
        const Descent found = descent(*context.task, waiting);
        return found == Descent::kYes || (found == Descent::kUnknown && group != nullptr);
    };
    team::Context* const ready = worker.member->ready.take_if(is_below);
    return {.context = ready != nullptr ? ready : take_aside_if(*worker.member, is_below)};
}

Other start_other(team::Worker& worker, sched::Look look, std::int32_t above, const Taskgroup* group) {
    team::Member& member = *worker.member;
    if (!member.team->has_tasks.load(std::memory_order_relaxed)) return {};
    if (team::observed(worker) || sync::locks_held != 0) return {};
    team::Context* const fresh = team::take_context(worker);
    if (TEFF_UNLIKELY(fresh == nullptr)) return above == kAnyPriority ? find_for_top(worker, look) : Other{};
    const bool entered = enlist_current(worker, group);
    sched::Scheduler& ready = member.team->ready;
    sched::Runnable* const found = above == kAnyPriority
                                       ? ready.take_unrelated(member.lane, MayStart(worker), look)
                                       : ready.take_unrelated_raised(member.lane, MayStartAbove(worker, above), look);
    if (found != nullptr) return {.context = fresh, .starts = static_cast<Task*>(found)};
    if (entered) team::strike_out(*worker.context);
    team::give_back_context(*fresh);
    return {};
}

Other find_above_current(team::Worker& worker, const Taskgroup* group) {
    const std::int32_t priority = worker.task->priority;
    if (worker.member->team->ready.highest() <= std::max(priority, 0)) return {};
    return start_other(worker, sched::Look::kBrief, priority, group);
}

Other find_for_fresh_stack(team::Worker& worker, sched::Look look, const Taskgroup* group) {
    if (TEFF_UNLIKELY(sync::locks_held != 0)) return find_ready_descendant(worker, group);
    const bool goes_on = worker.member->aside != nullptr || others_first(worker);
    const Other other = goes_on ? Other{} : start_other(worker, look, kAnyPriority, group);
    if (other) return other;
    const Other ready = find_ready(worker);
    if (ready) (void)enlist_current(worker, group);
    return ready;
}

Other find_for_ground(team::Worker& worker) {
    const team::Member& member = *worker.member;
    if (TEFF_UNLIKELY(member.ready.any() || member.aside != nullptr)) return find_ready(worker);
    if (TEFF_UNLIKELY(member.team->orphaned)) return {.context = forsaken(member)};
    return {};
}

void put_back(team::Worker& worker, const Other& other) {
    if (worker.context->link != nullptr) team::strike_out(*worker.context); // entered for what was found
    if (other.starts == nullptr) return worker.member->ready.put_at_head(*other.context);
    team::give_back_context(*other.context);
    worker.member->team->ready.make_ready_anywhere(other.starts);
    doubt_lane(worker); // it may have lain below the current task's mark
}

void start_on_top(team::Worker& worker, Task& task) {
    doubt_lane(worker);
    run_on_top(worker, task);
}

void prepare_to_leave(team::Worker& worker) {
    worker.leaves.forget();
    set_aside(worker);
    doubt_lane(worker);
}

void stay(team::Worker& worker) {
    team::Context& self = *worker.context;
    team::strike_out(self);
    sync::locks_held = self.locks_held;
    preempt::exchange_held(self.held);
}

void depart(team::Worker& worker, const Other& other) {
    team::Context& self = *worker.context;
    team::Context& to = *other.context;
    if (TEFF_UNLIKELY(worker.probes != 0)) events::departs(worker);
    note_turn(worker);
    worker.context = &to;
    if (other.starts != nullptr) {
        to.first = other.starts;
        to.team = worker.member->team;
        self.stack().start(to.stack(), bottom, &to, kNothingToDo);
    } else {
        arrive_at(worker, to);
        self.stack().switch_to(to.stack(), kNothingToDo);
    }
    worker.task = self.task;
    worker.member->lane.since = self.since;
    preempt::changed_stack(worker.target);
    stay(worker);
}

void give_way(team::Worker& worker, const Other& other, Goes goes) {
    if (other.context == nullptr) return start_on_top(worker, *other.starts);
    team::Context& self = *worker.context;
    prepare_to_leave(worker);
    (void)self.notification.set_aside();
    if (goes == Goes::kToHead) worker.member->ready.put_at_head(self);
    else worker.member->ready.put_at_end(self);
    depart(worker, other);
}

void run_on_top(team::Worker& worker, Task& task) {
    run(worker, task);
    pass_on_ends_if_any(worker); // what follows may be long, or wait for them
}

// Until the task leaves the fresh context in its turn, that one is as good as on top of this one:
// what comes into the lane lies above what came before. So the lane is not in doubt. And the task's
// own descendants go before the current one: else it would leave one task after the other in the
// middle to create the next.
void run_beside(team::Worker& worker, Task& task, unsigned further) {
    const bool on_top = team::observed(worker) || sync::locks_held != 0 || worker.member->team->level == 0;
    team::Context* const fresh = on_top ? nullptr : team::take_context(worker);
    if (fresh == nullptr) return run_on_top(worker, task);
    fresh->further = further;
    team::Context& self = *worker.context;
    set_aside(worker);
    (void)self.notification.set_aside();
    self.line.next = std::exchange(worker.member->aside, &self);
    depart(worker, {.context = fresh, .starts = &task});
}

void leave_ground(team::Worker& worker, const Other& other) {
    prepare_to_leave(worker);
    worker.member->ground = worker.context;
    depart(worker, other);
}

} // namespace teff::task
