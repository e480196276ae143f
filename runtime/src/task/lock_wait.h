// SPDX-License-Identifier: Apache-2.0
// Waiting for one of the program's locks.
#pragma once

#include "sync/program_lock.h"
#include "team/worker.h"

namespace teff::task {

// Takes the lock, after try_lock has failed. In a region with tasks the worker does something else
// meanwhile if it can (suspend.h); what lies on the current stack waits.
void wait_for_lock(team::Worker& worker, sync::ProgramLock& lock);

} // namespace teff::task
