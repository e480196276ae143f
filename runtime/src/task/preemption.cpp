// SPDX-License-Identifier: Apache-2.0
#include "task/preemption.h"

#include <algorithm>
#include <utility>

#include "icv/icv.h"
#include "preempt/preempt.h"
#include "preempt/task_code.h"
#include "task/events.h"
#include "task/run.h"
#include "task/run_times.h"
#include "task/suspend.h"
#include "task/taskgroup.h"
#include "task/taskloop_range.h"

namespace teff::task {

namespace {

// Reads a field of a worker or task that may be running: the value may be out of date.
template <class T> T glance(const T& field) { return __atomic_load_n(&field, __ATOMIC_RELAXED); }

constexpr std::int32_t kNotPreemptible = team::Worker::kOutsideOfTasks;

// Returns the priority at which the worker runs at this moment. Called by the worker's own thread.
std::int32_t runs_at(const team::Worker& worker) {
    const Task* const task = glance(worker.task);
    return task == nullptr || (glance(task->flags) & kImplicit) != 0 ? kNotPreemptible : glance(task->priority);
}

// Returns the same, or kNotPreemptible if the current task may reach a thread-local variable: then
// the worker gives way at task scheduling points only. For an undeferred task its creator decides,
// as the code of the creator names the function of the task.
std::int32_t preemptible_at(const team::Worker& worker) {
    const bool is_bound = preempt::leaves_by_function() &&
                          worker.runs_at.load(std::memory_order_relaxed) == team::Worker::kOutsideOfTasks;
    return is_bound ? kNotPreemptible : runs_at(worker);
}

// Returns true if a task of priority `runs` has to give way to a task of priority `priority`,
// according to TEFF_PREEMPT_GAP.
bool is_far_below(std::int32_t runs, std::int32_t priority) {
    return runs != kNotPreemptible && runs <= priority - icv::global().preempt_gap;
}

// As Task::code, for a task that may end meanwhile: then the value may be any. Reads the task's
// block alone. Of a task whose arguments lie elsewhere it returns a function with no known run
// time.
const void* glance_at_code(const Task& task) {
    if ((glance(task.flags) & (kCodeInArgs | kArgsOutside)) != kCodeInArgs)
        return reinterpret_cast<const void*>(glance(task.function));
    const std::size_t at = std::size_t{glance(task.args_at)} * 8 + kCodeAt;
    return glance(*reinterpret_cast<const void* const*>(reinterpret_cast<const char*>(&task) + at));
}

// Returns true if the worker's task does not seem to end soon.
bool is_worth_asking(const team::Worker& worker) {
    const Task* const task = glance(worker.task);
    if (task == nullptr) return false;
    const base::Ticks began = glance(worker.began), now = base::ticks();
    const base::Ticks age = now > began ? now - began : 0;
    return preempting_pays(run_times.of(glance_at_code(*task)), age, preempt::price());
}

// The order in which workers are asked: first the worker that runs the lowest priority; among
// equals, the first member.
struct Rank {
    std::int32_t runs;
    unsigned member;
    auto operator<=>(const Rank&) const = default;
};
constexpr Rank kBelowAll = {INT32_MIN, 0};

// Whether a member is also asked if its task seems to end soon.
enum class Asks : bool { kWhatPays, kAny };

// Returns the next member to ask, or null if there is none. Sets `left_out` if a member was skipped
// because asking it does not pay.
team::Worker* next_to_ask(const team::Team& team, const team::Worker* self, std::int32_t priority, Asks asks,
                          Rank& after, bool& left_out) {
    team::Worker* found = nullptr;
    Rank lowest = {};
    for (unsigned i = 0; i < team.size; ++i) {
        team::Worker* const worker = team.members[i]->worker;
        if (worker == nullptr || worker == self) continue;
        if (worker->parked.load(std::memory_order_relaxed)) continue; // it looks itself when it wakes
        const Rank rank = {worker->runs_at.load(std::memory_order_relaxed), i};
        if (!is_far_below(rank.runs, priority)) continue;
        if (rank <= after || (found != nullptr && rank >= lowest)) continue;
        if (asks == Asks::kWhatPays && !is_worth_asking(*worker)) {
            left_out = true;
            continue;
        }
        lowest = rank;
        found = worker;
    }
    after = lowest;
    return found;
}

// Asks the member that runs the lowest priority, if this pays. If a member cannot be asked,
// continues with the next one: only a member with a thread that is not asleep in the system can be
// asked. If no member is asked because it does not pay, `self` looks again after a while, because
// tasks may run for longer than expected.
void ask_next(const team::Team& team, team::Worker* self, std::int32_t priority, Rank after, Asks asks) {
    bool left_out = false;
    if (self == nullptr) asks = Asks::kAny; // no worker could look again
    while (team::Worker* const victim = next_to_ask(team, self, priority, asks, after, left_out)) {
        const preempt::Asked asked = preempt::request(victim->target, static_cast<std::uint32_t>(priority));
        if (asked == preempt::Asked::signalled || asked == preempt::Asked::joined) return;
    }
    if (left_out) preempt::watch(self->target);
}

// Called when a context of this priority has become ready on the worker.
void ask_for_context(team::Worker& worker, std::int32_t priority) {
    std::atomic_thread_fence(std::memory_order_seq_cst);       // [begin-1]
    if (worker.parked.load(std::memory_order_relaxed)) return; // the worker will look itself
    if (!is_far_below(worker.runs_at.load(std::memory_order_relaxed), priority)) return;
    const auto wanted = static_cast<std::uint32_t>(priority);
    if (&worker == team::current_worker_if_any()) preempt::ask_self_again(worker.target, wanted);
    else (void)preempt::request(worker.target, wanted);
}

// Called when the worker was asked, but may not run the ready task, or not soon. Passes the request
// on to the next worker by rank. Ranks increase, so this ends.
void pass_request_on(team::Worker& worker, std::int32_t runs) {
    const team::Team& team = *worker.member->team;
    const std::int32_t highest = team.ready.highest();
    if (highest > runs) ask_next(team, &worker, highest, {runs, worker.member->number}, Asks::kAny);
}

// Returns true if the worker's member and its task belong to the same team. The thread may be at
// any point: if it is about to enter or to leave a nested region, its member and its task belong to
// different teams, and the team's members may change.
bool is_settled_in_team(const team::Worker& worker) {
    const Task* task = worker.task;
    while (task != nullptr && (task->flags & kImplicit) == 0)
        task = task->below();
    return task != nullptr && worker.member != nullptr && task == worker.member->implicit_task;
}

// Tells the probes the outcome of a request that the worker's thread has taken. Called by this
// thread, at a safe point or in the runtime.
void tell_answer(team::Worker& worker, std::uint32_t asked, events::Answer answer) {
    const base::Ticks since = worker.target.asked_since.exchange(0, std::memory_order_relaxed);
    if (TEFF_LIKELY(worker.probes == 0)) return;
    events::answered(worker, {.asked = since, .priority = static_cast<std::int32_t>(asked), .answer = answer});
}

void dropped(preempt::Target&, std::uint32_t asked) {
    tell_answer(team::current_worker(), asked, events::Answer::kByItself);
}

void cannot_soon(preempt::Target&) {
    team::Worker* const worker = team::current_worker_if_any();
    if (worker == nullptr || preemptible_at(*worker) == kNotPreemptible || !is_settled_in_team(*worker)) return;
    pass_request_on(*worker, runs_at(*worker));
}

// A task that this thread made ready a while ago may still be waiting.
void watched(preempt::Target& self) {
    team::Worker* const worker = team::current_worker_if_any();
    if (worker == nullptr || !is_settled_in_team(*worker)) return;
    const team::Team& team = *worker->member->team;
    const std::int32_t highest = team.ready.highest();
    if (highest <= 0 || team.level == 0) return;
    if (is_far_below(preemptible_at(*worker), highest))
        preempt::ask_self_again(self, static_cast<std::uint32_t>(highest));
    else ask_next(team, worker, highest, kBelowAll, Asks::kAny);
}

// Returns the work that the worker runs instead of its task; nothing if no ready work has a higher
// priority than the task.
Other find_above(team::Worker& worker) {
    const sched::Row row = row_of(worker, WaitKind::kIsPreempted);
    const std::int32_t priority = worker.task->priority;
    sched::Seen seen;
    see(worker, seen);
    if (seen.ready <= priority) seen.ready = sched::kNoLevel;
    seen.higher = worker.member->team->has_tasks.load(std::memory_order_relaxed);
    for (sched::Act act = choose(row, seen); act != sched::Act::kIdle; act = choose(row, seen)) {
        const std::int32_t above = level_to_exceed(row, seen);
        if (const Other other = find_other(worker, WaitKind::kIsPreempted, act, sched::Look::kBrief, above))
            return other;
        seen.higher = act == sched::Act::kResume; // until now it has looked above the ready context only
        if (act == sched::Act::kResume) seen.ready = sched::kNoLevel;
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

// A thread that makes a task of a higher priority ready does not ask a worker that is outside of
// tasks.
// [begin-1] The worker stores the priority of its task, then looks for tasks (with a fence in
//           between). A thread that makes a task ready stores the task, then reads the workers'
//           priorities (again with a fence in between). So one of the two sees the other.

// Called before the worker begins a task that it has taken. Returns true if another task goes
// first. In this case the worker does not begin its task, because a task that has begun stays on
// its thread.
bool is_overtaken(team::Worker& worker, const Task& task) {
    if (is_stressed()) return false;
    const std::int32_t ready = highest_ready(worker);
    if (ready != sched::kNoLevel && ready > task.priority)
        preempt::ask_self_again(worker.target, static_cast<std::uint32_t>(ready));
    // Tasks that were already queued when the worker chose this task may not run here.
    const sched::Scheduler& queued = worker.member->team->ready;
    const std::uint64_t raises = queued.raises();
    return std::exchange(worker.raises_seen, raises) != raises && queued.highest() > task.priority;
}

std::int32_t priority_of(const Other& other) {
    return other.starts != nullptr ? other.starts->priority : other.context->priority;
}

// Returns what the probes need to know about a preemption. Called when the current task is about to
// leave its worker to `other`. `asked`: a request is the reason.
events::Preemption leaves(const team::Worker& worker, const Other& other, bool asked) {
    const base::Ticks now = base::ticks(), age = now - worker.began;
    const RunTime known = run_times.of(worker.task->code());
    const base::Ticks rest = known.mean > age ? known.mean - age : 0;
    const bool pays = !asked || rest == 0 || rest >= preempt::price();
    return {.left = now, .by = priority_of(other), .rest = rest, .pays = pays};
}

// Whether the current task counts as running, or still as waiting, in recordings and counters.
enum class Recorded : bool { kRuns, kWaits };

// Runs ready tasks of a higher priority instead of the current task, until there are none.
void give_way_to_all_higher(team::Worker& worker, Recorded as) {
    const std::int32_t priority = runs_at(worker);
    if (priority == kNotPreemptible || team::observed(worker) || preempt::holds() || !preempt::is_active()) return;
    while (const Other other = find_above(worker)) {
        const bool probed = TEFF_UNLIKELY(worker.probes != 0) && as == Recorded::kRuns;
        const events::Preemption preemption = probed ? leaves(worker, other, false) : events::Preemption{};
        give_way(worker, other, Goes::kToHead);
        if (probed) events::preempted(worker, preemption);
    }
}

// Called when the worker has come back to a task.
void look_for_higher(team::Worker& worker, Recorded as) {
    preempt::drop_request(worker.target);                // it looks now
    std::atomic_thread_fence(std::memory_order_seq_cst); // [begin-1]
    const std::int32_t priority = worker.task->priority;
    const bool raised = worker.member->team->ready.highest() > priority;
    if (raised || highest_ready(worker) > priority) give_way_to_all_higher(worker, as);
}

// TEFF_PREEMPT=stress: returns any other work that the worker may run. Contexts that continue and
// tasks that start are tried first alternately.
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

bool may_switch(preempt::Target&, std::uint32_t asked) {
    team::Worker& worker = team::current_worker();
    if (preemptible_at(worker) == kNotPreemptible) { // it looks for tasks when it begins a task
        if (asked == 0) return false;
        tell_answer(worker, asked, events::Answer::kByItself);
        pass_request_on(worker, worker.runs_at.load(std::memory_order_relaxed));
        return false;
    }
    const Other other = may_reduce(worker.task->group) ? Other{} : find_better(worker);
    worker.preempting_context = other.context;
    worker.preempting_task = other.starts;
    worker.preempts_as_asked = asked != 0;
    if (asked != 0) tell_answer(worker, asked, other ? events::Answer::kPreempted : events::Answer::kNothing);
    if (!other && asked != 0) pass_request_on(worker, worker.task->priority);
    return static_cast<bool>(other);
}

void switch_away(preempt::Target& self) {
    team::Worker& worker = team::current_worker();
    const team::Context& here = *worker.context;
    const bool probed = TEFF_UNLIKELY(worker.probes != 0);
    const Other other = {.context = worker.preempting_context, .starts = worker.preempting_task};
    const events::Preemption preemption =
        probed ? leaves(worker, other, worker.preempts_as_asked) : events::Preemption{};
    give_way(worker, other, is_stressed() ? Goes::kToEnd : Goes::kToHead,
             self.in_own_code && !probed ? Caller::kMayMove : Caller::kStays);
    team::Worker& now = here.worker();
    if (probed) events::preempted(now, preemption);
    if (!is_stressed()) look_for_higher(now, Recorded::kRuns);
}

// Most tasks of a function are alike, and all workers share the table, so most run times are left
// out.
void add_run_time(team::Worker& worker, const void* function, base::Ticks ran) {
    constexpr std::uint8_t kLeftOut = 7;
    const RunTime known = run_times.of(function);
    const base::Ticks usual = base::Ticks{known.mean} + 2 * base::Ticks{known.deviation};
    const bool is_usual = known.mean != 0 && ran <= usual && ran >= known.mean / 4;
    if (is_usual && worker.times_left_out++ < kLeftOut) return;
    worker.times_left_out = 0;
    run_times.add(function, ran);
}

// Returns the priority at which a worker is asked while it runs this task; kNotPreemptible if the
// task's function may reach a thread-local variable. Called when the task begins, in a program that
// has such variables.
TEFF_COLD std::int32_t asked_by_function(Task& task) {
    if (!preempt::task_is_free(code_of(task))) return kNotPreemptible;
    if (icv::global().task_constraints == icv::TaskConstraints::automatic) task.flags |= kFree;
    return task.priority;
}

// Called when the worker has taken the task. Returns false if another task goes first, and the task
// is queued again. `outer`: the worker's priority below the task.
bool try_begin(team::Worker& worker, Task& task, std::int32_t outer) {
    preempt::drop_request(worker.target); // it looks now
    const std::int32_t asked_at = preempt::leaves_by_function() ? asked_by_function(task) : task.priority;
    worker.runs_at.exchange(asked_at, std::memory_order_seq_cst); // [begin-1]
    if (!is_overtaken(worker, task)) return true;
    worker.runs_at.store(outer, std::memory_order_relaxed);
    worker.member->team->ready.put_back(&task);
    return false;
}

// Returns true if at least `wanted` members have no work and are outside of tasks.
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
    preempt::set_hooks({.stack = stack_to_leave,
                        .may_switch = may_switch,
                        .switch_away = switch_away,
                        .cannot_soon = cannot_soon,
                        .watched = watched,
                        .dropped = dropped});
    team::set_ask(ask_for_context);
}

void begin_preemptible(team::Worker& worker) {
    if (!preempt::is_on()) return;
    (void)team::stack_bounds(worker); // computed before a handler needs it
    preempt::register_thread(worker.target);
}

void end_preemptible(team::Worker& worker) {
    if (preempt::is_on()) preempt::unregister_thread(worker.target);
}

void give_way_to_higher(team::Worker& worker) { give_way_to_all_higher(worker, Recorded::kRuns); }

bool set_preemption(bool wanted) {
    const bool before = preempt::set_active(wanted);
    team::Worker* const worker = team::current_worker_if_any();
    if (!wanted || before || worker == nullptr || worker->member == nullptr) return before;
    team::Team& team = *worker->member->team;
    if (team.level == 0) return before;
    if (preemptible_at(*worker) != kNotPreemptible) look_for_higher(*worker, Recorded::kRuns);
    if (const std::int32_t highest = team.ready.highest(); highest > 0) ask_for(team, worker, highest);
    return before;
}

void came_back(team::Worker& worker) {
    if (!is_stressed() && runs_at(worker) != kNotPreemptible) look_for_higher(worker, Recorded::kWaits);
}

void look_after_release(team::Worker& worker) {
    std::atomic_thread_fence(std::memory_order_seq_cst); // [begin-1]
    const std::int32_t runs = preemptible_at(worker);
    const std::int32_t highest = std::max(worker.member->team->ready.highest(), highest_ready(worker));
    if (runs == kNotPreemptible || !is_far_below(runs, highest)) return;
    preempt::ask_self_again(worker.target, static_cast<std::uint32_t>(highest));
}

void keep_run(team::Worker& worker, team::Context& self) {
    self.ran = base::ticks() - worker.began;
    self.runs_at = worker.runs_at.load(std::memory_order_relaxed);
    self.ahead = std::exchange(worker.ahead, {}); // preempted between these calls and the construct's
}

void go_on_with_run(team::Worker& worker, const team::Context& self) {
    worker.began = base::ticks() - self.ran;
    worker.runs_at.store(self.runs_at, std::memory_order_relaxed);
    worker.ahead = self.ahead;
}

bool begin_on_context(team::Worker& worker, Task& task) {
    return try_begin(worker, task, team::Worker::kOutsideOfTasks);
}

void end_on_context(team::Worker& worker, const void* function) {
    add_run_time(worker, function, base::ticks() - worker.began);
    worker.runs_at.store(team::Worker::kOutsideOfTasks, std::memory_order_relaxed);
}

void run_preemptible(team::Worker& worker, Task& task) {
    const std::int32_t outer_runs_at = worker.runs_at.load(std::memory_order_relaxed);
    if (!try_begin(worker, task, outer_runs_at)) return;
    const base::Ticks begins = base::ticks(), outer_began = std::exchange(worker.began, begins);
    const void* const function = task.code();
    if (task.priority > 0) run_at_its_place(worker, task);
    else run(worker, task);
    const base::Ticks ends = base::ticks();
    add_run_time(worker, function, ends - worker.began);
    worker.began = outer_began + (ends - begins);
    worker.runs_at.store(outer_runs_at, std::memory_order_relaxed);
}

void ask_for(team::Team& team, team::Worker* self, std::int32_t priority) {
    std::atomic_thread_fence(std::memory_order_seq_cst); // [begin-1]
    const std::int64_t waiting = std::max<std::int64_t>(team.ready.raised(), 1);
    if (find_takers(team, waiting)) return; // the idle members have been woken
    ask_next(team, self, priority, kBelowAll, Asks::kWhatPays);
}

} // namespace teff::task
