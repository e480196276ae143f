// SPDX-License-Identifier: Apache-2.0
// Who owns a nest lock: the current task.
#pragma once

#include "task/task.h"
#include "team/team.h"

namespace teff::abi {

// A name for the current task, to be compared and never followed. The initial task of a thread goes
// by the thread's own address, so that it has the same name before OpenMP knows the thread and
// afterwards: a lock alone does not make a thread a worker.
inline void* lock_owner() {
    const team::Worker* worker = team::current_worker_if_any();
    if (worker == nullptr || ((worker->task->flags & task::kImplicit) != 0 && worker->member->team->level == 0))
        return __builtin_thread_pointer();
    return worker->task;
}

} // namespace teff::abi
