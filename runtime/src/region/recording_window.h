// SPDX-License-Identifier: Apache-2.0
//
// Where a worker joins or leaves the window of the recording: probe/trace/window.h has the
// protocol.
#pragma once

#include "base/cache_line.h"
#include "team/team.h"

namespace teff::region {

// Called by a worker that is about to begin a parallel region that runs `code` (region.h). If the
// region is an outermost one, begins or ends the window as the clock and the region's number say,
// and lets the worker join a window that is on. `others_at_work`: other threads of the program have
// regions under way.
TEFF_COLD void follow_window(team::Worker& worker, const void* code, bool others_at_work);

// Called by a member that is about to take part in a region, and is recorded although the leader is
// not, or the reverse.
TEFF_COLD void follow_leader(team::Worker& worker, const team::Team& team);

// The program switches recording on or off. start_recording: the caller joins at once if it is
// outside of all regions. stop_recording: ends the window for all threads. end_recording: does the
// same, for good. start_recording returns false if recording was ended for good. Called by the
// worker's own thread.
bool start_recording(team::Worker& worker);
void stop_recording(team::Worker& worker);
void end_recording(team::Worker& worker);

} // namespace teff::region
