// SPDX-License-Identifier: Apache-2.0
//
// FullQueue: decides what happens to a new task if its creator's queue is full (TEFF_DEQUE_LIMIT).
//
// The creator runs the task at once, on top of itself, so memory stays bounded. (libgomp does the
// same beyond 64 tasks for each thread.) The creator also runs the next new tasks at once, without
// queueing them, until thieves have taken a good part of the queue. The creator does not run tasks
// at once if
//
//     its context is barred                     the constraints keep the task from starting here
//     less than half of the stack is left       tasks that run at once nest on the creator's stack
//
// In these cases the queue grows. The queue also grows while the creator holds a lock of the
// program, because the task may need the lock. In this case it grows only up to the number of tasks
// that libgomp allows in a team.
//
// A queue already counts as full with 64 tasks if the new task's firstprivate data do not fit into
// a task's block. If a task of a higher priority is queued and may run there, or on a stack of its
// own, it runs instead of the new task, which is queued. A creator that may hold a lock runs no
// other task than the new one, and queues the new task as long as there is a task of a higher
// priority. No task goes to a shared queue because a queue is full. A program must not assume that
// the creator continues while such a child waits, because the specification does not promise this.
//
// Called by the worker's own thread only.
#pragma once

#include "sync/held_locks.h"
#include "task/constraint.h"
#include "team/worker.h"

namespace teff::task {

struct Task;

namespace detail {
// The number of queued tasks that libgomp allows for each member of a team before its creators run
// new tasks themselves. With more tasks of much data, no further thief finds work, and their data
// fall out of the caches: 1,000 tasks of 64 KiB took 60 ms instead of 10.
inline constexpr std::uint32_t kPeersPerMember = 64;

// Runs or queues a deferred task that its creator's queue has refused.
[[gnu::noinline]] void run_or_queue(team::Worker& worker, Task& task); // full_queue.cpp

// Runs the task on top of the current task, because a queue is full.
void run_in_place(team::Worker& worker, Task& task); // full_queue.cpp

// Returns true if none of the reasons above keeps the current task from running a new task at once.
[[gnu::noinline]] bool may_run_at_once(team::Worker& worker); // full_queue.cpp

TEFF_COLD bool stays_full(team::Worker& worker); // full_queue.cpp

// Returns true if the queue counts as full for a task with much data.
TEFF_COLD bool has_much_data_queued(team::Worker& worker); // full_queue.cpp

// Returns true if less than half of the stack is used, according to `worker.in_place_above`.
inline bool has_stack(const team::Worker& worker) {
    return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) > worker.in_place_above;
}
} // namespace detail

// HOT producer. Returns true if a new task of the current task is to run in place because the queue
// is full, although the task could be deferred. Counts down `worker.in_place`.
inline bool runs_in_place(team::Worker& worker) {
    if (TEFF_LIKELY(worker.in_place == 0)) return false;
    const bool is_plain = worker.probes == 0 && worker.member->tied == nullptr && sync::locks_held == 0;
    return (TEFF_LIKELY(--worker.in_place != 0) && is_plain && detail::has_stack(worker)) || detail::stays_full(worker);
}

} // namespace teff::task
