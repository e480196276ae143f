// SPDX-License-Identifier: Apache-2.0
// The tool's halves of loop/events.h. Called only while a tool is attached to the worker. They tell
// the tool, and do nothing else.
#pragma once

#include "loop/events.h"

namespace teff::loop::events::ompt {

void set_up(WorkShare& share, const LoopRequest& request);
void entered(team::Worker& worker);
void left(team::Worker& worker);
void chunk_begins(team::Worker& worker, Span span, base::CallSite site);
void ordered_begins(team::Worker& worker, base::CallSite site);
void ordered_entered(team::Worker& worker, base::CallSite site);
void ordered_ends(team::Worker& worker, base::CallSite site);
void turn_wait_begins(team::Worker& worker, base::CallSite site);
void turn_wait_ends(team::Worker& worker);
void doacross(team::Worker& worker, IndexVector indices, bool source);
void single_begins(team::Worker& worker, bool executor, base::CallSite site);
void single_ends(team::Worker& worker);
void scope_begins(team::Worker& worker, base::CallSite site);

} // namespace teff::loop::events::ompt
