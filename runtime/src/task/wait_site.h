// SPDX-License-Identifier: Apache-2.0
//
// The site of a wait of the worker's task, for a recording. If the wait is a tail call, the
// compiler may turn the call into a jump. The wait then returns into the runtime. In this case only
// the program's function is known, and the site is the beginning of this function. Called by the
// worker's own thread only.
#pragma once

#include "base/call_site.h"
#include "probe/trace/stream.h"
#include "task/task.h"
#include "team/team.h"
#include "team/worker.h"

namespace teff::task {

// Returns the function of the worker's task; null if the task is the program's first, or the first
// of a thread.
inline const void* function_of_task(const team::Worker& worker) {
    const team::Member& member = *worker.member;
    if (worker.task != member.implicit_task) return worker.task->code();
    return member.team->level == 0 ? nullptr : member.team->recording.code;
}

// Requires that the recording is on.
inline std::uint32_t wait_site(const team::Worker& worker, base::CallSite site) {
    return worker.trace->wait_site(site.code(), [&worker] { return function_of_task(worker); });
}

} // namespace teff::task
