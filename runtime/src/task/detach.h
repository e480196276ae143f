// SPDX-License-Identifier: Apache-2.0
//
// Detachable tasks: a task with a detach clause is finished when its body has ended and its event is fulfilled, whichever comes last.
//
//     awaited --fulfil--> fulfilled             (an undeferred task: its creator waits for the event itself)
//     open  --body ends-->  body over   --fulfil-->  finished (by the fulfiller, from any thread)
//     open  --fulfil-->     fulfilled   --body ends--> finished (by the task's worker)
//
// Both edges are one exchange on Task::event; the second to come finishes the task. [detach-1] The exchange (acq_rel) hands the task over.
// The event's handle is the task's address, as GCC's code stores it.
#pragma once

#include "task/create.h"

namespace teff::task {

// Opens the event and stores its handle where the construct wants it.
void open_event(Task& task, team::Worker& worker, const TaskConstruct& construct);

// Runs an undeferred detachable task and waits for its event.
void run_until_event(team::Worker& worker, Task& task);

// omp_fulfill_event, from any thread of the process, also one that is in no team.
void fulfill_event(Task* task);

} // namespace teff::task
