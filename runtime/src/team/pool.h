// SPDX-License-Identifier: Apache-2.0
//
// The pool: every worker of the process, and the threads that the runtime has started.
//
// A pool worker is either in a team (its leader keeps it there between regions) or in the pool's
// list of idle ones. Workers of the program's own threads are never in that list. Records of
// threads that are gone are kept for the next thread. One lock guards the lists; it is taken when a
// team grows or ends and when a thread comes or goes, never per region.
#pragma once

#include "team/worker.h"

namespace teff::team {

// What a pool thread does with its worker; when it returns, the thread ends. Set once, before the
// first region, by region/.
using WorkerMain = void (*)(Worker& worker);
void set_worker_main(WorkerMain main);

// An idle pool worker, from the list or with a new thread. Null if no thread could be started: the
// errno value is stored.
Worker* take_pool_worker(int& errno_value);
void give_back_pool_worker(Worker& worker);

// Takes an idle one out of the list, so that its thread can be retired; null: no more than `leave`
// are in it.
Worker* take_idle_worker(unsigned leave);

// A thread is about to be retired; waits until all of those have ended.
void count_retiring();
void wait_for_retired();

// A record for a thread of the program's own, and its return when that thread ends.
Worker& make_worker();
void retire_worker(Worker& worker);

// The record that stands for this thread from now on; null takes it back.
void set_current_worker(Worker* worker);

// In a forked child: no other thread exists any more. The lists are emptied; what the gone threads
// had is left alone.
void forget_other_threads();

} // namespace teff::team
