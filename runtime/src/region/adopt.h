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

// Recording, at the end of the process: the initial task of the calling thread ends now.
void record_end_of_initial_task(team::Worker& worker);

} // namespace teff::region
