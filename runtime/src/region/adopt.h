// SPDX-License-Identifier: Apache-2.0
// Makes workers of threads that the program has started: see adopt.cpp.
#pragma once

#include "team/worker.h"

namespace teff::region {

// Called once by the library's constructor.
void initialise_adoption();

// Makes `worker` the calling thread's worker, with a team of one and an initial task.
void adopt_worker(team::Worker& worker);

// Tells the probes that the calling thread's initial task ends, and with it the thread's part in
// OpenMP.
void end_events(team::Worker& worker);
// Called at the end of the process. `worker` is the calling thread's worker, or null if the thread
// is not a worker. With a tool attached, first ends all pool threads that are in no region, because
// the tool must see their end. Then does the same as end_events.
void end_all_events(team::Worker* worker);
// Called when the tool asks for its end. Tells only the tool that the calling thread's initial task
// ends. Does nothing if the thread is not in its initial task or is inside the runtime: in these
// cases there are open events that cannot end at this point.
void end_tools_events();

} // namespace teff::region
