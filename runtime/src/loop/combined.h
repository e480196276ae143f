// SPDX-License-Identifier: Apache-2.0
//
// Combined constructs (parallel loop, parallel sections) whose entry point gets the region and the
// loop at once. The leader sets the loop up as the region's construct number 0 before the other
// members start; they enter it at their first `next`.
#pragma once

#include "loop/loop.h"
#include "region/region.h"

namespace teff::loop {

// Opens the region and sets its loop up; the caller is member 0 then, as after region::begin.
void begin_parallel_loop(team::Worker& worker, region::Construct construct, const LoopRequest& request);

// The same, then the caller's part of the body, then the end of the region.
void run_parallel_loop(team::Worker& worker, region::Construct construct, const LoopRequest& request);

} // namespace teff::loop
