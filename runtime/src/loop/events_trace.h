// SPDX-License-Identifier: Apache-2.0
// The recorder's halves of loop/events.h. Called only while the worker has a stream. They append
// records, and do nothing else.
#pragma once

#include "loop/events.h"

namespace teff::loop::events::trace {

void set_up(team::Worker& worker, const team::Team& team, WorkShare& share, const LoopRequest& request);
void entered(team::Worker& worker);
void left(team::Worker& worker);
void chunk_begins(team::Member& member, Span span);
void chunk_ends(team::Worker& worker);
void turn_wait_ends(team::Worker& worker, base::CallSite site, base::Ticks began);

} // namespace teff::loop::events::trace
