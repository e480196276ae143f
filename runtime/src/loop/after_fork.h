// SPDX-License-Identifier: Apache-2.0
//
// Work-sharing constructs in a forked child: the calling thread is alone in the constructs that it
// is in, one for each team around it that it leads at most. Its turn in an ordered loop always has
// come, and nobody is left for whose iterations it could wait. What it meets later, it meets as the
// only member.
#pragma once

#include "team/worker.h"

namespace teff::loop {

// Before region::forget_other_threads, which makes the thread number 0 of its team.
void go_on_alone(team::Worker& worker);

} // namespace teff::loop
