// SPDX-License-Identifier: Apache-2.0
#include "task/detach.h"

#include "base/report.h"
#include "sync/wait_word.h"
#include "task/at_once.h"
#include "task/conditions.h"
#include "task/dependences.h"
#include "task/wait.h"
#include "team/probes.h"

namespace teff::task {

namespace {

using Fulfilment = DetachEvent::Fulfilment;

// A record's address is a multiple of 64 and less than 2^47, so its 6 lowest bits and its 17
// highest bits are free.
constexpr unsigned kLowBits = 6, kAddressBits = 47;
static_assert(kLowBits + (64 - kAddressBits) == DetachEvent::kGenerationBits);

Detachment& detachment_of(EventHandle handle) {
    const auto word = static_cast<std::uintptr_t>(handle);
    const std::uintptr_t mask = ((std::uintptr_t{1} << kAddressBits) - 1) & ~((std::uintptr_t{1} << kLowBits) - 1);
    return *reinterpret_cast<Detachment*>(word & mask);
}

DetachEvent::Generation generation_of(EventHandle handle) {
    const auto word = static_cast<std::uintptr_t>(handle);
    return static_cast<DetachEvent::Generation>((word >> kAddressBits) << kLowBits | (word & ((1u << kLowBits) - 1)));
}

void give_back_closed(team::Worker& worker, Detachment& detachment) {
    detachment.event.close();
    worker.blocks.give_back(&detachment, mem::BlockSize::kDetachment);
}

// Finishes a task that has done all its work. The event counts as a child of the task, which has
// kept the task's block until now.
void finish_detached(team::Worker& worker, Task& task, Successors successors) {
    if (task.has_dependences()) release_dependences(worker, task, successors);
    if (Taskgroup* group = task.group) end_in_group(worker, *group);
    end_child(worker, *task.parent);
    give_back_closed(worker, *task.detachment);
    end_child(worker, task);
}

// The condition for which the creator of an undeferred task waits. The fulfiller always notifies
// the creator, so arming only tests the condition.
struct EventFulfilled : WaitInTask {
    const Detachment& awaited;
    bool over() const { return awaited.event.fulfilled(); }
    bool try_arm() { return !over(); }
    void disarm() {}
};

// Notified whenever a side has reported to a tool. One word serves all events, since sides seldom
// wait for each other.
sync::WaitWord side_has_reported;
constexpr unsigned kSpinsForTheOtherSide = 100; // a few us: longer than most callbacks

template <class Done> void await_the_other_side(Done&& done) {
    side_has_reported.wait_until(kSpinsForTheOtherSide, 0, done);
}

// Both return true if the caller is to finish the task.
bool end_body(Task& task, bool discarded) {
    DetachEvent& event = task.detachment->event;
    return discarded ? event.try_discard() : event.end_body();
}

TEFF_COLD bool end_observed_body(team::Worker& worker, Task& task, bool discarded) {
    DetachEvent& event = task.detachment->event;
    const bool first = !discarded && event.begin_to_end_body() == DetachEvent::First::kYes;
    if (discarded) await_the_other_side([&event] { return event.try_discard(); });
    else if (!first) await_the_other_side([&event] { return event.fulfilled(); });
    events::detachable_body_ends(worker, task, first);
    if (discarded) return true;
    const bool complete = event.end_body();
    side_has_reported.notify();
    return complete;
}

bool is_fulfilled_now(Fulfilment found) { return found == Fulfilment::kBodyRuns || found == Fulfilment::kFinish; }

TEFF_COLD Fulfilment fulfil_observed(Detachment& detachment, DetachEvent::Generation generation) {
    team::current_worker(); // a tool gets a thread's begin before the thread's other events
    DetachEvent& event = detachment.event;
    const Fulfilment found = event.begin_to_fulfil(generation);
    if (!is_fulfilled_now(found)) return found;
    const bool early = found == Fulfilment::kBodyRuns;
    if (!early) await_the_other_side([&event] { return event.body_over(); });
    events::event_fulfilled(*detachment.task.load(std::memory_order_relaxed), early);
    const Fulfilment fulfilled = event.fulfil(generation);
    side_has_reported.notify();
    return fulfilled;
}

Fulfilment fulfil(Detachment& detachment, DetachEvent::Generation generation) {
    if (TEFF_UNLIKELY(detachment.observed.load(std::memory_order_relaxed)))
        return fulfil_observed(detachment, generation);
    return detachment.event.fulfil(generation);
}

void finish_as_fulfiller(team::Team& team, Task& task) {
    team::Worker& worker = team::current_worker();
    const bool member_of_team = worker.member->team == &team;
    finish_detached(worker, task, Successors::kUnrelated);
    if (member_of_team) team::Member::count(worker.member->finished);
    else team.finished_elsewhere.fetch_add(1, std::memory_order_seq_cst); // [quiet-1]
    team.ready.wake_all_if_any(TEFF_WAKE_TEAM);                           // one of them may find the team quiet
    // Outside regions, tasks run where they are created. If their creator fulfils the event, the
    // tasks that had to wait for the event run now.
    if (member_of_team && team.level == 0 && (worker.task->flags & kImplicit) != 0) run_what_is_ready(worker);
}

void finish_at_body_end(team::Worker& worker, Task& task) {
    team::Team& team = team_of(worker, task);
    if (TEFF_UNLIKELY(worker.member->team != &team)) return finish_as_fulfiller(team, task);
    finish_detached(worker, task, Successors::kDescendants);
    team::Member::count(worker.member->finished);
}

[[noreturn]] TEFF_COLD void reject(EventHandle handle) {
    base::fatal(0, "omp_fulfill_event: %#zx is not the event of an unfinished task", static_cast<std::size_t>(handle));
}

// The task's team and waiter. Read before the event is fulfilled, because the record may belong to
// another task afterwards.
struct Awaiting {
    team::Team* team;
    team::Context* waiter;
    Task* task;
};

Fulfilment fulfil_and_finish(Detachment& detachment, EventHandle handle, const Awaiting& of) {
    const Fulfilment found = fulfil(detachment, generation_of(handle));
    if (found == Fulfilment::kRepeated || (found == Fulfilment::kStale && !icv::global().cancellation)) reject(handle);
    if (found == Fulfilment::kStale) return found; // its task was discarded
    if (of.waiter != nullptr) of.waiter->notify();
    else if (found == Fulfilment::kFinish) finish_as_fulfiller(*of.team, *of.task);
    return found;
}

// Fulfils and records the event. The task may be over when the event is recorded.
TEFF_APART void fulfil_recorded(Detachment& detachment, EventHandle handle, const Awaiting& of, std::uint64_t task) {
    team::current_worker(); // a thread without a worker has no stream
    const base::Ticks when = base::ticks();
    const Fulfilment found = fulfil_and_finish(detachment, handle, of);
    if (is_fulfilled_now(found)) events::fulfilled(team::current_worker(), task, found == Fulfilment::kFinish, when);
}

} // namespace

Detachment& reserve_event(team::Worker& worker) {
    return *static_cast<Detachment*>(worker.blocks.take(mem::BlockSize::kDetachment));
}

EventHandle handle_of(const Detachment& reserved) {
    const DetachEvent::Generation generation = reserved.event.next();
    const auto address = reinterpret_cast<std::uintptr_t>(&reserved);
    const std::uintptr_t low = generation & ((1u << kLowBits) - 1);
    return EventHandle{address | low | std::uintptr_t{generation >> kLowBits} << kAddressBits};
}

void open_event(team::Worker& worker, Detachment& reserved, Task& task) {
    reserved.task.store(&task, std::memory_order_relaxed);
    reserved.team.store(worker.member->team, std::memory_order_relaxed);
    reserved.waiter.store((task.flags & kUndeferred) != 0 ? worker.context : nullptr, std::memory_order_relaxed);
    reserved.recorded.store(team::traced(worker) ? task.id.get() : 0, std::memory_order_relaxed);
    reserved.observed.store((task.flags & kObserved) != 0, std::memory_order_relaxed);
    task.detachment = &reserved;
    reserved.event.open();
}

void retire_event(team::Worker& worker, Detachment& reserved) {
    reserved.recorded.store(0, std::memory_order_relaxed);
    reserved.observed.store(false, std::memory_order_relaxed);
    reserved.event.open(); // starts the generation that the handle names, so that no other event gets it
    give_back_closed(worker, reserved);
}

void end_detachable_body(team::Worker& worker, Task& task) {
    if ((task.flags & kParent) == 0) make_parent(task, worker);
    task.children.begin_home(); // the event counts as a child
    [[maybe_unused]] const bool ended = end_parent(worker, task);
    const bool undeferred = (task.flags & kUndeferred) != 0; // read before the fulfiller may finish the task
    const bool discarded = (task.flags & kDiscarded) != 0;
    const bool observed = (task.flags & kObserved) != 0;
    const bool complete =
        TEFF_UNLIKELY(observed) ? end_observed_body(worker, task, discarded) : end_body(task, discarded);
    if (undeferred) task.flags |= complete ? kComplete : 0; // await_event continues
    else if (complete) finish_at_body_end(worker, task);
}

void await_event(team::Worker& worker, Task& task) {
    if ((task.flags & kComplete) == 0) wait_until(worker, EventFulfilled{{.waiting = *worker.task}, *task.detachment});
    give_back_closed(worker, *task.detachment);
    end_child(worker, task);
}

void fulfill_event(EventHandle handle) {
    if (handle == EventHandle{}) reject(handle);
    Detachment& detachment = detachment_of(handle);
    // [detach-2] If the handle is stale, these values may belong to another task, and are not used.
    const Awaiting of{.team = detachment.team.load(std::memory_order_relaxed),
                      .waiter = detachment.waiter.load(std::memory_order_relaxed),
                      .task = detachment.task.load(std::memory_order_relaxed)};
    const std::uint64_t recorded = detachment.recorded.load(std::memory_order_relaxed);
    if (TEFF_UNLIKELY(recorded != 0)) fulfil_recorded(detachment, handle, of, recorded);
    else fulfil_and_finish(detachment, handle, of);
}

} // namespace teff::task
