// SPDX-License-Identifier: Apache-2.0
#include "task/at_once.h"

#include "task/detach.h"
#include "task/run.h"

namespace teff::task {

namespace {

// Does what `run` does; the worker need not be a member of the task's team.
void run_one(team::Worker& worker, Task& task) {
    Task* const below = worker.task;
    const sched::Mark outer = detail::enter(worker, task);
    if (worker.probes != 0) detail::run_body_probed(worker, task);
    else if (!try_discard(team_of(worker, task), task)) task.function(task.args());
    detail::leave(worker, task, below, outer);
}

} // namespace

team::Team& team_of_detachable(const Task& task) { return *task.detachment->team.load(std::memory_order_relaxed); }

void run_at_once(team::Worker& worker, Task& task) {
    task.next = worker.at_once != nullptr ? *worker.at_once : nullptr;
    if (worker.at_once != nullptr) {
        *worker.at_once = &task;
        return;
    }
    Task* first = &task; // a list, linked by Runnable::next
    worker.at_once = &first;
    while (Task* const next = first) {
        first = static_cast<Task*>(next->next);
        run_one(worker, *next);
    }
    worker.at_once = nullptr;
}

} // namespace teff::task
