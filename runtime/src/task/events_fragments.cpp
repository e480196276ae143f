// SPDX-License-Identifier: Apache-2.0
#include "task/events_fragments.h"

#include "probe/trace/stream.h"
#include "task/task.h"
#include "team/team.h"

namespace teff::task::events::fragments {

namespace {

// A chunk is run by its member's implicit task. Other tasks may run on its worker meanwhile.
bool is_in_chunk(const team::Worker& worker) {
    const team::Member& member = *worker.member;
    return member.loop.chunk_iterations != 0 && worker.task == member.implicit_task;
}

} // namespace

void begin(team::Worker& worker) { worker.trace->fragment_begins(worker.task->id, is_in_chunk(worker)); }

void end(team::Worker& worker) { worker.trace->fragment_ends(); }

} // namespace teff::task::events::fragments
