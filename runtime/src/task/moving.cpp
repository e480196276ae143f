// SPDX-License-Identifier: Apache-2.0
#include "task/moving.h"

#include <atomic>

#include "base/report.h"
#include "fiber/context.h"
#include "icv/icv.h"
#include "preempt/diversions.h"
#include "preempt/objects.h"
#include "preempt/preempt.h"
#include "sync/held_locks.h"
#include "task/constraint.h"
#include "task/preemption.h"
#include "task/run.h"
#include "task/run_times.h"
#include "task/suspend.h"
#include "team/contexts.h"

namespace teff::task {

namespace detail {
constinit bool moving = false;
constinit bool special = false;
} // namespace detail

namespace {

// The program's own file, whose thread-local variables are known; set when the library is loaded. A
// library may have some, too, so the tasks of libraries stay.
constinit preempt::CodeRange program{0, 0};

bool is_of_program(const Task& task) {
    const auto function = reinterpret_cast<std::uintptr_t>(task.code());
    return program.begin <= function && function < program.end;
}

bool is_wanted() { return icv::global().untied == icv::UntiedTasks::migrate; }

TEFF_COLD void say_once_that_probes_keep() {
    static constinit std::atomic<bool> said{false};
    if (said.exchange(true, std::memory_order_relaxed)) return;
    base::warn("TEFF_UNTIED=migrate has no effect while the program is recorded or counted, or a tool is active: "
               "untied tasks stay on their threads");
}

// Returns true if the worker may continue in contexts that another member has left.
bool may_take_from_others(const team::Worker& worker) {
    const team::Member& member = *worker.member;
    return (worker.task->flags & kWaitsOutside) != 0 && member.tied == nullptr && worker.probes == 0 &&
           !member.team->orphaned;
}

// Admits the offers that the worker may take.
struct MayTake {
    const team::Member* home;
    const Task* ancestor; // null: any task will do
    bool from_others;

    // A member that waits for the next region must not continue in a context of that region. If it
    // sees such an offer, it sees the new phase, too.
    bool is_of_this_phase() const {
        return home->team->generation.load(std::memory_order_relaxed) == home->waits_in_phase;
    }
    bool operator()(const team::MovingContexts::Offer& offer) const {
        if (offer.home != home && !(from_others && is_of_this_phase())) return false;
        return ancestor == nullptr || descends(*offer.task, *ancestor);
    }
    // Returns true if there can be no such offer.
    bool finds_none() const { return !from_others && home->moving.load(std::memory_order_relaxed) == 0; }
};

MayTake what_may_be_taken(const team::Worker& worker, const Task* ancestor) {
    return {.home = worker.member, .ancestor = ancestor, .from_others = may_take_from_others(worker)};
}

// Returns true if `first`, the first of the member's line, comes after the offers.
bool comes_after_offers(team::Worker& worker, const team::Context& first, const MayTake& may) {
    const std::int32_t level = worker.member->team->moving.highest(may);
    if (level != first.priority) return level > first.priority;
    worker.takes_moving = !worker.takes_moving; // so both go on
    return worker.takes_moving;
}

// Starts the task on a context of its own, beside the implicit task that would wait below it.
// Returns false if the task may not start there, or if there is no stack.
bool try_start_apart(team::Worker& worker, Task& task) {
    const TaskFlags below = worker.task->flags;
    if ((below & kImplicit) == 0 || !begins_movable(worker, task)) return false;
    const bool outside = (below & kWaitsOutside) != 0;
    if (!outside && worker.member->team->level == 0) return false;
    const bool at_bottom = worker.context->started_for == worker.member;
    if (at_bottom || sync::locks_held != 0 || preempt::holds() || is_barred(worker)) return false;
    team::Context* const fresh = team::take_context(worker);
    if (fresh == nullptr) return false;
    const Other other{.context = fresh, .starts = &task};
    if (outside) leave_outside(worker, other);
    else give_way(worker, other, Goes::kToEnd);
    return true;
}

} // namespace

void prepare_moving() {
    if (is_wanted()) {
        if (preempt::program_has_thread_locals())
            base::warn("TEFF_UNTIED=migrate has no effect: the program has thread-local variables, which an untied "
                       "task would find to be another thread's; untied tasks stay on their threads");
        else detail::moving = true;
    }
    if (detail::moving) program = preempt::program_file();
    detail::special = detail::moving || preempt::is_on();
}

namespace {
// All contexts that ever had a `root`, the latest first. They are read in a forked child only.
// [movable-1] note_movable links a context (release). A forked child loads the first one (acquire):
//             it has what the linking thread has stored before.
constinit std::atomic<team::Context*> all_movable{nullptr};

void note_movable(team::Context& context) {
    context.may_move = true;
    context.next_movable = all_movable.load(std::memory_order_relaxed);
    while (!all_movable.compare_exchange_weak(context.next_movable, &context, std::memory_order_release, // [movable-1]
                                              std::memory_order_relaxed)) {
    }
}
} // namespace

team::Context* find_unnotified_moving(const team::Worker& worker) {
    for (team::Context* at = all_movable.load(std::memory_order_acquire); // [movable-1]
         at != nullptr; at = at->next_movable)
        if (at->moves && &at->worker() == &worker && at->member == worker.member) return at;
    return nullptr;
}

bool begins_movable(const team::Worker& worker, const Task& task) {
    constexpr TaskFlags kStays = kImplicit | kUndeferred | kTaskloop | kTarget | kObserved;
    if ((task.flags & kUntied) == 0 || (task.flags & kStays) != 0 || may_reduce(task.group)) return false;
    if (!is_of_program(task)) return false;
    if (TEFF_LIKELY(worker.probes == 0)) return true;
    say_once_that_probes_keep();
    return false;
}

team::Worker& run_movable(team::Worker& first, Task& task) {
    team::Context& self = *first.context;
    const void* const function = task.code();
    if (preempt::is_on() && !begin_on_context(first, task)) return first;
    if (task.priority > 0) first.member->lane.place = take_place(first, task);
    (void)detail::enter(first, task);
    if (!self.may_move) note_movable(self);
    self.root = &task;
    if (TEFF_LIKELY(!try_discard(*first.member->team, task))) task.function(task.args());
    self.root = nullptr;
    team::Worker& worker = self.worker();
    detail::leave(worker, task, worker.member->implicit_task, 0);
    worker.member->lane.place = sched::kNoPlace;
    if (preempt::is_on()) end_on_context(worker, function);
    pass_on_ends_if_any(worker);
    return worker;
}

bool try_let_move(team::Worker& worker, team::Context& self) {
    if (self.root == nullptr || self.root != worker.task) return false;
    const bool has_tasks = self.queue != nullptr && !self.queue->deque.looks_empty();
    if (has_tasks || worker.probes != 0 || self.calls_back != 0 || self.locks_held != 0 || self.held != 0) return false;
    if (self.tied != nullptr || is_barred(worker) || may_reduce(worker.task->group)) return false;
    if (worker.member->team->orphaned || fiber::exceptions_are_under_way()) return false;
    team::strike_out(self);
    if (self.queue != nullptr) worker.member->lane.give_up(*self.queue);
    self.queue = nullptr;
    self.since = 0;
    self.moves = true;
    worker.member->moving.fetch_add(1, std::memory_order_relaxed);
    return true;
}

void has_departed(const team::Context& context) {
    const fiber::PooledContext& stack = *context.pooled;
    if (preempt::is_on()) preempt::undo_diversions(stack.bottom(), stack.top());
}

void adopt(team::Worker& worker, team::Context& context) {
    context.moves = false;
    context.member->moving.fetch_sub(1, std::memory_order_relaxed);
    if (&context.worker() == &worker) return;
    context.set_worker(worker);
    context.started_for = worker.member;
    context.born = ++worker.member->contexts_so_far;
    context.root->next = worker.member->implicit_task;
}

std::int32_t highest_moving(team::Worker& worker) {
    const MayTake may = what_may_be_taken(worker, nullptr);
    return may.finds_none() ? sched::kNoLevel : worker.member->team->moving.highest(may);
}

team::Context* take_ready_or_moving(team::Worker& worker, const Task* ancestor) {
    team::ReadyContexts& ready = worker.member->ready;
    team::MovingContexts& moving = worker.member->team->moving;
    const MayTake may = what_may_be_taken(worker, ancestor);
    if (ancestor != nullptr) {
        team::Context* const taken =
            ready.take_if([&](const team::Context& context) { return descends(*context.task, *ancestor); });
        return taken != nullptr || may.finds_none() ? taken : moving.take(may);
    }
    if (may.finds_none()) return ready.take();
    const team::Context* const first = ready.first();
    if (first == nullptr) return moving.take(may);
    team::Context* const taken = comes_after_offers(worker, *first, may) ? moving.take(may) : nullptr;
    return taken != nullptr ? taken : ready.take();
}

void run_specially(team::Worker& worker, Task& task) {
    if (!contexts_move() || !try_start_apart(worker, task)) run_here(worker, task);
}

} // namespace teff::task
