// SPDX-License-Identifier: Apache-2.0
// Waiting for one of the program's locks.
#pragma once

#include "sync/program_lock.h"
#include "team/worker.h"

namespace teff::task {

// Takes the lock, after try_lock has failed. Blocks the thread, or lets the worker do other work
// meanwhile (waits_in_place in next.h).
void wait_for_lock(team::Worker& worker, sync::ProgramLock& lock) TEFF_ACQUIRE(lock);

} // namespace teff::task
