// SPDX-License-Identifier: Apache-2.0
// The tool's halves of task/events.h. Called only while a tool is attached to the worker. They tell
// the tool, and do nothing else.
#pragma once

#include "task/events.h"

namespace teff::task::events::ompt {

void construct_begins(team::Worker& worker, base::CallSite site);
void construct_ends(team::Worker& worker);
void created(team::Worker& worker, Task& task, const Creation& creation);
void body_begins(team::Worker& worker, Task& task, void* frame, bool skipped);
void body_ends(team::Worker& worker, Task& task);
void depends(const Dependence& dependence);
void taskwait_depend_begins(team::Worker& worker, probe::ompt::TaskRecord& record, const DependItems& depend,
                            base::CallSite site);
void taskwait_depend_ends(probe::ompt::TaskRecord& record);
void detachable_body_ends(team::Worker& worker, Task& task, bool first);
void event_fulfilled(Task& task, bool early);
void wait_begins(team::Worker& worker, Wait wait, base::CallSite site);
void wait_ends(team::Worker& worker, Wait wait, base::CallSite site);
void group_begins(team::Worker& worker, base::CallSite site);
void group_ends(team::Worker& worker, base::CallSite site);
void taskloop(team::Worker& worker, bool begins, std::uint64_t iterations, base::CallSite site);

} // namespace teff::task::events::ompt
