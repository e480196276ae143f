// SPDX-License-Identifier: Apache-2.0
// Threads of the program's own as workers: see adopt.cpp.
#pragma once

#include "team/worker.h"

namespace teff::region {

// Called once by the library's constructor.
void initialise_adoption();

// Makes `worker` this thread's, with a team of one and an initial task.
void adopt_worker(team::Worker& worker);

// In a forked child: of the program's threads only the calling one is left; is it adopted?
void forget_other_adopted_threads(bool this_one_is);

// For the probes: the calling thread's initial task ends now, and with it the thread's part in
// OpenMP.
void end_events(team::Worker& worker);
// The same at the end of the process, on a thread that need not be a worker (null). A tool is to
// see the end of all threads that are in no region.
void end_all_events(team::Worker* worker);
// The same for the tool alone, which asks for its end, on the calling thread: where that is in its
// initial task, and not inside the runtime. Elsewhere there are open events that cannot end here.
void end_tools_events();

} // namespace teff::region
