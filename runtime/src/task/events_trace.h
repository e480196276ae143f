// SPDX-License-Identifier: Apache-2.0
// The recorder's halves of task/events.h. Called only while the worker has a stream. They append
// records, and do nothing else.
#pragma once

#include "task/events.h"

namespace teff::task::events::trace {

void created(team::Worker& worker, Task& task, const Creation& creation);
void depends(team::Worker& worker, const Dependence& dependence);
void body_ends(team::Worker& worker, const Body& body);
void waited(team::Worker& worker, Wait wait, base::CallSite site, base::Ticks began);

} // namespace teff::task::events::trace
