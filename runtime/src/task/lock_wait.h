// SPDX-License-Identifier: Apache-2.0
// Waiting for one of the program's locks.
#pragma once

#include "sync/program_lock.h"
#include "team/worker.h"

namespace teff::task {

// Takes the lock, after try_lock has failed. Waiting for a lock is not a task scheduling point: the
// task may rely on the state of its thread (a pthread mutex, threadprivate data). So the thread
// waits, too. With TEFF_TSC=relaxed, in a region with tasks, the worker does other work meanwhile
// if it can (suspend.h), unless the task holds another lock.
void wait_for_lock(team::Worker& worker, sync::ProgramLock& lock) TEFF_ACQUIRE(lock);

} // namespace teff::task
