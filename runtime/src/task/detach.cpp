// SPDX-License-Identifier: Apache-2.0
#include "task/detach.h"

#include <cstring>

#include "base/report.h"
#include "task/detach_event.h"
#include "task/detach_told.h"
#include "task/untils.h"

namespace teff::task {

namespace {

// An undeferred task's creator waits for the event. The fulfiller always unparks it, so there is nothing to arm.
struct UntilFulfilled : WaitInTask {
    const Task& awaited;
    bool over() const { return awaited.event.load(std::memory_order_acquire) == kFulfilled; } // [detach-1]
    bool try_arm() { return !over(); }
    void disarm() {}
};

// The body is over and the event fulfilled: what finish() does, for a task whose children count has been closed already.
void finish_detached(team::Worker& worker, Task& task) {
    if (task.depend_node != nullptr) release_dependences(worker, task);
    if (Taskgroup* group = task.group) group->end_task(worker);
    end_child(worker, *task.parent);
    end_child(worker, task); // the event's own place among its children
}

std::uint32_t told_flag(const Task& task) { return (task.flags & kObserved) != 0 ? std::uint32_t{kTold} : 0; }

enum class FoundEvent : std::uint8_t { kOpen, kBodyOver, kAwaited, kNone };

FoundEvent found_in(std::uint32_t state) {
    switch (state & ~std::uint32_t{kTold}) {
    case kOpen:
    case kBodyEnding:
    case kFulfilling:
        return FoundEvent::kOpen;
    case kBodyOver:
        return FoundEvent::kBodyOver;
    case kAwaited:
    case kAwaitedOver:
        return FoundEvent::kAwaited;
    default:
        return FoundEvent::kNone;
    }
}

// The event becomes fulfilled; how it was found.
FoundEvent fulfil(Task& task) {
    const bool told = (task.event.load(std::memory_order_relaxed) & kTold) != 0; // that never changes
    const FoundEvent at_first = TEFF_UNLIKELY(told) ? found_in(tell_fulfilment(task)) : FoundEvent::kOpen;
    const FoundEvent at_last = found_in(task.event.exchange(kFulfilled, std::memory_order_acq_rel)); // [detach-1]
    return at_last == FoundEvent::kOpen ? at_first : at_last;
}

} // namespace

void open_event(Task& task, team::Worker& worker, const TaskConstruct& construct) {
    const std::uint32_t told = told_flag(task);
    task.event.store(((task.flags & kUndeferred) != 0 ? kAwaited : kOpen) | told, std::memory_order_relaxed);
    task.detach_team = worker.member->team;
    task.event_creator = &worker;
    void* const handle = &task;
    *construct.event = handle;
    if (construct.data != nullptr) std::memcpy(construct.data, &handle, sizeof handle); // GCC's code keeps it first
}

void end_detachable_body(team::Worker& worker, Task& task) {
    const std::uint32_t told = told_flag(task);
    if (TEFF_UNLIKELY(told != 0)) tell_body_end(worker, task);
    task.children.begin_home(); // the event counts as a child: it keeps the block, and lets any thread end it
    task.flags |= kFinished;
    [[maybe_unused]] const bool open = task.children.try_open_to_finished();
    if ((task.flags & kUndeferred) != 0) return; // its creator waits for the event: run_until_event
    if (task.event.exchange(kBodyOver | told, std::memory_order_acq_rel) != kFulfilled) return; // [detach-1]
    finish_detached(worker, task);
    team::Member::count(worker.member->finished);
}

void run_until_event(team::Worker& worker, Task& task) {
    run(worker, task);
    drain(worker, UntilFulfilled{{.waiting = *worker.task}, task});
    end_child(worker, task);
}

void fulfill_event(Task* task) {
    // Of the task only what open_event wrote may be read before the exchange: its worker may be at work on the rest.
    team::Team& team = *task->detach_team;
    team::Worker& creator = *task->event_creator;
    const FoundEvent found = fulfil(*task);
    if (found == FoundEvent::kAwaited) return creator.parker.unpark();
    if (found == FoundEvent::kOpen) return; // the body still runs, its end finishes the task
    if (found == FoundEvent::kNone)
        base::fatal(0, "omp_fulfill_event: %p is not the event of an unfinished task", static_cast<void*>(task));
    team::Worker& worker = team::current_worker();
    const bool member_of_team = worker.member->team == &team;
    finish_detached(worker, *task);
    if (member_of_team) team::Member::count(worker.member->finished);
    else team.finished_elsewhere.fetch_add(1, std::memory_order_seq_cst);
    if (team.ready.sleepers().any()) team.ready.wake_all(); // one of them may find the team quiet
}

} // namespace teff::task
