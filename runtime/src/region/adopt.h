// SPDX-License-Identifier: Apache-2.0
// Threads of the program's own as workers: see adopt.cpp.
#pragma once

#include "team/worker.h"

namespace teff::region {

// Called once by the library's constructor.
void initialise_adoption();

// Makes `worker` this thread's, with a team of one and an initial task.
void adopt_worker(team::Worker& worker);

// In a forked child: the teams that this thread leads have lost their other threads.
void forget_teams(team::Worker& worker);

// For the probes: the calling thread's initial task ends now, and with it the thread's part in OpenMP.
void end_events(team::Worker& worker);

} // namespace teff::region
