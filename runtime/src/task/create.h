// SPDX-License-Identifier: Apache-2.0
//
// Creating explicit tasks: the path from the task construct to a queue.
//
// Two common cases are inline and short. try_create_simple makes a deferred task without
// dependences, priority or event: one block, the header, a copy of the arguments, a push.
// try_run_simple runs a task at once, on top of its creator. All other cases are in create.cpp. If
// the creator's queue is full, the new task runs at once, on top of its creator, as long as less
// than half of the stack is used; otherwise the queue grows (full_queue.h).
#pragma once

#include "base/call_site.h"
#include "base/clock.h"
#include "task/depend_items.h"
#include "task/full_queue.h"
#include "task/icvs.h"
#include "task/moving.h"
#include "task/run.h"

namespace teff::task {

// The part of a loop that one task of a taskloop runs.
struct TaskloopPart {
    std::uint64_t first_iteration, iterations; // the number of the first iteration; how many there are
    std::uint64_t all;                         // how many iterations the loop has
    std::uint64_t first, end;                  // values of the loop variable, modulo 2^64; the last
                                               // end may wrap around
    // A function of the entry point. It writes the part's bounds to the place in the arguments
    // where the body reads them. Called after the arguments have been copied.
    void (*place)(void* args, const TaskloopPart& part);
};

// The clauses of a construct that affect when its task may run.
struct TaskClauses {
    std::int32_t priority = 0;
    DependItems depend = {};            // if given, the task is kDependent
    Detachment* event = nullptr;        // kDetachable: the event reserved for the task (detach.h)
    const TaskloopPart* part = nullptr; // kTaskloop: the part that the task runs
    base::CallSite site = {};
};

// The description of a construct's task. `flags` are a Task's flags.
struct TaskConstruct {
    void (*function)(void*);
    void* data;
    void (*copy)(void* to, void* from); // null: the bytes are copied
    std::size_t arg_bytes;
    std::size_t arg_align;
    TaskFlags flags = 0; // kUndeferred for if(false), kConstructed, and the construct's flags that
                         // are passed on unchanged
    // The time at which the construct was met, if a probe is on and the entry point has done other
    // work since; else 0.
    base::Ticks met = 0;
    TaskClauses clauses = {};
};

// Creates the task of any construct. May run the task, and may wait. create_one_of_many: for a
// construct that creates many tasks; if the queue is full, the task is run in place (full_queue.h)
// without being queued.
void create_any(team::Worker& worker, const TaskConstruct& construct);
void create_one_of_many(team::Worker& worker, const TaskConstruct& construct);

// The steps of create_any, for entry points whose compiler fills in the task itself. The current
// task takes the steps in this order:
//     allocate      a block with its header, and space for the arguments, which the caller fills
//                   in; a task that is not to run after all ends here, with `reclaim` (run.h)
//     is_deferred   true: `submit`; the worker that takes the task runs it, and this worker may
//                   have run other tasks when `submit` returns
//                   false: `include`, which waits for the task's dependences, then `run`;
//                   or instead of `run`: `begin`, a call of the body, `end` (run.h)
// Of a task with an event and without dependences, the creator may wait for the body only, and then
// fulfil the event itself: `include_body` instead of `include`, or run_included_body.
// For most tasks allocate_small and try_submit_simple do the same in line.
// `met`: the result of events::construct_begins if a probe is on; else 0.
Task& allocate(team::Worker& worker, void (*function)(void*), std::size_t arg_bytes, std::size_t arg_align,
               TaskFlags flags);
[[nodiscard]] bool is_deferred(team::Worker& worker, TaskFlags flags, const TaskClauses& clauses);
void submit(team::Worker& worker, Task& task, const TaskClauses& clauses, base::Ticks met);
void include(team::Worker& worker, Task& task, const TaskClauses& clauses, base::Ticks met);
void include_body(team::Worker& worker, Task& task, const TaskClauses& clauses, base::Ticks met);
void run_included_body(team::Worker& worker, Task& task, const TaskClauses& clauses, base::Ticks met);

// Makes the member's queue and its team ready for deferred tasks, once per region. Returns false if
// tasks are not deferred here (outside regions, or if the queue cannot be opened).
TEFF_COLD bool prepare_to_defer(team::Member& member);

namespace detail {

inline constexpr std::size_t kInlineArgs = sizeof(Task);

inline void copy_bytes(void* to, const void* from, std::size_t bytes) {
    // Nearly always a few words are copied: a call of memcpy would cost more than the copy.
    auto* target = static_cast<std::uint64_t*>(to);
    auto* source = static_cast<const std::uint64_t*>(from);
    if (TEFF_LIKELY(bytes <= 64 && bytes % 8 == 0)) {
        for (std::size_t word = 0; word < bytes / 8; ++word)
            target[word] = source[word];
        return;
    }
    std::memcpy(to, from, bytes);
}

// Sets the task's identity, and the properties that it inherits from `parent`, except its ICVs if
// the parent has its own.
inline void fill_identity(Task& task, std::uint64_t id, Task& parent, TaskFlags flags) {
    task.id = id; // first: see [peek-1]
    task.parent = &parent;
    task.parent_id = parent.id;
    task.depth = parent.depth + 1;
    task.group = parent.group;
    task.flags = flags;
    task.clauses = static_cast<std::uint8_t>(flags);
    task.icvs = parent.icvs;
}

inline void fill_identity(Task& task, team::Worker& worker, Task& parent, TaskFlags flags) {
    fill_identity(task, worker.task_ids.next(), parent, flags);
    if (TEFF_UNLIKELY((parent.flags & kOwnIcvs) != 0)) own_icvs(worker, task);
}

inline void fill_header(Task& task, team::Worker& worker, Task& parent, void (*function)(void*), TaskFlags flags) {
    fill_identity(task, worker, parent, flags);
    task.priority = 0;
    task.function = function;
}

// Counts the new task in its parent, its group and its team. From here on they wait for the task.
inline void count_in(team::Worker& worker, Task& parent) {
    if (TEFF_UNLIKELY((parent.flags & kParent) == 0)) make_parent(parent, worker);
    parent.children.begin_home();
    if (Taskgroup* group = parent.group) group->begin_task(worker);
    team::Member::count(worker.member->created);
}

// Takes a block in which the arguments follow the header.
inline Task& take_block(team::Worker& worker, mem::BlockSize size) {
    Task& task = *static_cast<Task*>(worker.blocks.take(size));
    task.block_size = size;
    task.args_at = sizeof(Task) / 8;
    return task;
}
// The same for a task with few arguments.
inline Task& take_small_block(team::Worker& worker) { return take_block(worker, mem::BlockSize::k192); }

// Returns true if try_create_simple may continue, for a member whose deferral is not kToLane.
// Prepares the member to defer tasks if necessary.
TEFF_COLD bool may_create_simply(team::Worker& worker);

inline void enqueue_or_run(team::Worker& worker, Task& task) {
    team::Member& member = *worker.member;
    if (TEFF_UNLIKELY(!member.team->ready.make_ready(member.lane, &task))) run_or_queue(worker, task);
}

// The last step of a deferred task's creation, if the task has no clauses. `met`: 0, or the time at
// which the construct was met, if a probe is on and events::need_whole_path has returned false.
[[gnu::always_inline]] inline void submit_simply(team::Worker& worker, Task& task, Task& parent, base::Ticks met,
                                                 base::CallSite site) {
    count_in(worker, parent);
    if (TEFF_UNLIKELY(met != 0)) events::simply_created(worker, task, {.met = met, .site = site});
    enqueue_or_run(worker, task);
    if (TEFF_UNLIKELY(met != 0)) events::simple_creation_ends(worker);
}

} // namespace detail

// Returns true if a priority clause with this value makes a task go before others.
inline bool priority_counts(std::int32_t priority) { return priority > 0 && icv::global().max_task_priority > 0; }

// HOT fib: creates a deferred task without dependences, priority, event or copy function, whose
// arguments fit into the smallest block and whose creator is not final. Returns false if the task
// is not that simple: then nothing was done.
[[gnu::always_inline]] inline bool try_create_simple(team::Worker& worker, void (*function)(void*), void* data,
                                                     std::size_t arg_bytes, TaskFlags flags, base::CallSite site) {
    team::Member& member = *worker.member;
    Task& parent = *worker.task;
    if (TEFF_UNLIKELY(member.deferral != team::Deferral::kToLane) && !detail::may_create_simply(worker)) return false;
    if (TEFF_UNLIKELY(arg_bytes > 192 - detail::kInlineArgs)) return false;
    base::Ticks met = 0;
    if (TEFF_UNLIKELY(worker.probes != 0)) {
        if (events::need_whole_path(worker)) return false;
        met = team::event_ticks(worker);
    }
    if (TEFF_UNLIKELY(cancelled(*member.team, parent.group))) return true; // no task is created
    Task& task = detail::take_small_block(worker);
    detail::fill_header(task, worker, parent, function, flags | kCountsAsChild);
    detail::copy_bytes(task.place_of_args(), data, arg_bytes);
    detail::submit_simply(worker, task, parent, met, site);
    return true;
}

namespace detail {

// Does what try_run_simple does, without its tests. `size`: of a block that holds the copy of the
// arguments. `part`: as in TaskClauses. `body` is called with the arguments.
template <class Body>
[[gnu::always_inline]] inline void run_simple(team::Worker& worker, Task& parent, mem::BlockSize size, void* data,
                                              void (*copy)(void*, void*), const TaskloopPart* part, TaskFlags flags,
                                              Body&& body) {
    Task& task = take_block(worker, size);
    fill_identity(task, worker, parent, flags | (parent.flags & kFinal));
    task.priority = parent.priority;
    const sched::Mark outer = sched::Scheduler::enter(worker.member->lane);
    if (copy != nullptr) {
        const CallsBack calls_back(worker);
        copy(task.place_of_args(), data);
        data = task.place_of_args();
    }
    if (part != nullptr) part->place(data, *part);
    task.next = &parent;
    worker.task = &task;
    body(data);
    worker.task = &parent;
    sched::Scheduler::leave(worker.member->lane, outer);
    if (TEFF_LIKELY((task.flags & (kParent | kOwnIcvs)) == 0))
        worker.blocks.give_back(&task, size); // finish() would do nothing else
    else finish(worker, task);
}

// Of a task with at most kSmallArgs bytes of arguments.
inline constexpr std::size_t kSmallArgs = mem::kBlockBytes[static_cast<unsigned>(mem::BlockSize::k320)] - kInlineArgs;
inline mem::BlockSize small_block(std::size_t arg_bytes) {
    return arg_bytes <= 192 - kInlineArgs ? mem::BlockSize::k192 : mem::BlockSize::k320;
}
} // namespace detail

// Returns true if allocate_small can allocate a task with this number of bytes of arguments. Then
// it calls no function.
[[gnu::always_inline]] inline bool is_small(const team::Worker& worker, std::size_t arg_bytes) {
    return TEFF_LIKELY(arg_bytes <= detail::kSmallArgs && !team::observed(worker) &&
                       worker.blocks.has(detail::small_block(arg_bytes)) && worker.task_ids.has_next() &&
                       (worker.task->flags & kOwnIcvs) == 0);
}

// Does inline what `allocate` does, for arguments that are aligned to a cache line at most.
// Requires is_small.
[[gnu::always_inline]] inline Task& allocate_small(team::Worker& worker, void (*function)(void*), std::size_t arg_bytes,
                                                   TaskFlags flags) {
    static_assert(sizeof(Task) % base::kCacheLine == 0);
    Task& task = detail::take_block(worker, detail::small_block(arg_bytes));
    detail::fill_identity(task, worker.task_ids.next_at_once(), *worker.task, flags);
    task.priority = 0;
    task.function = function;
    return task;
}

// HOT undeferred: runs a task that its creator waits for (undeferred, or included in a final task),
// or a task that is run in place. The task has few arguments and needs no other steps. Only a task
// that its creator waits for has kUndeferred among its flags: a task run in place is a deferred
// task for the program, and the constraints treat it as one. `copy` is null if the body may use the
// program's own argument block. If the task is not that simple, does nothing and returns false.
[[gnu::always_inline]] inline bool try_run_simple(team::Worker& worker, void (*function)(void*), void* data,
                                                  void (*copy)(void*, void*), std::size_t arg_bytes, TaskFlags flags) {
    Task& parent = *worker.task;
    if (TEFF_UNLIKELY(worker.probes != 0 || (copy != nullptr && arg_bytes > 192 - detail::kInlineArgs))) return false;
    if (TEFF_UNLIKELY(cancelled(*worker.member->team, parent.group))) return true; // no task is created
    detail::run_simple(worker, parent, mem::BlockSize::k192, data, copy, nullptr, flags, function);
    return true;
}

// HOT chain. Does what try_run_simple does, for a task with dependences that has no task to wait
// for, because no sibling is unfinished. The task is either undeferred, or deferred in a team of
// one, where no other worker could take it from the queue; in the latter case the conditions of a
// full queue apply (full_queue.h). The task ends before its creator continues, so later siblings
// need not know of it.
// runs_dependent_at_once says whether this is so; its caller includes the task without dependences.
[[nodiscard]] bool runs_dependent_at_once(team::Worker& worker, TaskFlags flags);
[[nodiscard]] bool try_run_dependent(team::Worker& worker, void (*function)(void*), void* data,
                                     void (*copy)(void*, void*), std::size_t arg_bytes, TaskFlags flags);

// Returns true if all new tasks of the current task are undeferred, even without an if clause: in a
// final task, and outside regions.
inline bool is_included(const team::Worker& worker) {
    const team::Member& member = *worker.member;
    return TEFF_UNLIKELY((worker.task->flags & kFinal) != 0 || (!member.may_defer() && member.team->level == 0));
}

namespace detail {

// Runs an allocated task on top of its creator. `how`: kUndeferred, or 0 for a task run in place.
[[gnu::always_inline]] inline void run_allocated(team::Worker& worker, Task& task, TaskFlags how) {
    const Task& parent = *worker.task;
    task.flags |= how | (parent.flags & kFinal);
    task.priority = parent.priority;
    if (TEFF_UNLIKELY(cancelled(*worker.member->team, parent.group))) return run(worker, task);
    begin_simply(worker, task);
    task.function(task.args());
    end_simply(worker, task);
}

} // namespace detail

// Begins an undeferred task, as `include` and `begin` do, while no probe is on. The caller calls
// the body, and then end_simply.
[[gnu::always_inline]] inline void include_simply(team::Worker& worker, Task& task) {
    const Task& parent = *worker.task;
    task.flags |= kUndeferred | (parent.flags & kFinal);
    task.priority = parent.priority;
    begin_simply(worker, task);
}

// HOT. Creates an allocated task without priority or event, while no probe is on: does the steps
// that follow `allocate`, inline. `depends`: the task has dependences; then it is created only if
// it can run at once, as in try_run_dependent. Returns false if the task is not that simple: then
// nothing was done.
[[gnu::always_inline]] inline bool try_submit_simple(team::Worker& worker, Task& task, bool depends) {
    const TaskFlags undeferred = is_included(worker) ? kUndeferred : 0;
    if (depends) {
        if (!runs_dependent_at_once(worker, undeferred)) return false;
        return detail::run_allocated(worker, task, undeferred), true;
    }
    if (undeferred != 0 || runs_in_place(worker)) return detail::run_allocated(worker, task, undeferred), true;
    team::Member& member = *worker.member;
    if (TEFF_UNLIKELY(member.deferral != team::Deferral::kToLane) && !detail::may_create_simply(worker)) return false;
    task.flags |= kCountsAsChild;
    detail::submit_simply(worker, task, *worker.task, 0, {});
    return true;
}

// Do what try_submit_simple and include_simply do, for a task without dependences, while a probe is
// on. The caller of try_include_probed calls the body, and then `end` (run.h) with `underway`. They
// return false, and do nothing, if a sink asks for the steps of the general path.
[[nodiscard]] bool try_submit_probed(team::Worker& worker, Task& task, base::CallSite site);
[[nodiscard]] bool try_include_probed(team::Worker& worker, Task& task, base::CallSite site, Underway& underway);

} // namespace teff::task
