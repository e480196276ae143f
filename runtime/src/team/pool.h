// SPDX-License-Identifier: Apache-2.0
//
// The pool: all workers of the process, and the threads that the runtime has started.
//
// A pool worker is either in a team, where its leader keeps it between regions, or in the pool's
// list of idle workers. Workers of the program's own threads are never in that list. The records of
// ended threads are kept for new threads. One lock guards the lists. A thread takes this lock when
// a team grows or ends, and when a thread starts or ends, but not for each region.
#pragma once

#include "team/worker.h"

namespace teff::team {

// The main function of a pool thread, called with the thread's worker. When it returns, the thread
// ends. region/ sets it once, before the first region.
using WorkerMain = void (*)(Worker& worker);
void set_worker_main(WorkerMain main);

// Returns an idle pool worker for a team of `leader`: a worker from the list that was started for a
// team of the same initial thread, otherwise a worker with a new thread. A thread inherits settings
// of the program from its creator (affinity mask, priority, filters of system calls), so it serves
// no other initial thread. If no thread could be started, returns null and stores the errno value
// into `errno_value`.
Worker* take_pool_worker(const Worker& leader, int& errno_value);
void give_back_pool_worker(Worker& worker);

// Takes an idle worker out of the list, so that its thread can be retired: a worker that was
// started for the teams of `initial`, or any worker if `initial` is null. Returns null if there is
// none.
Worker* take_idle_worker(const Worker* initial);

// count_retiring announces that a thread is about to be retired. wait_for_retired waits until all
// announced threads have ended.
void count_retiring();
void wait_for_retired();

// make_worker returns a record for a thread of the program's own. retire_worker takes back the
// record of a thread that ends.
Worker& make_worker();
void retire_worker(Worker& worker);

// Sets the calling thread's worker; null: none.
void set_current_worker(Worker* worker);

// Called in a forked child, where no other thread exists. Empties the list of idle workers. The
// records of the other threads stay as they are.
void forget_other_threads();

} // namespace teff::team
