// SPDX-License-Identifier: Apache-2.0
//
// Regions and teams in a forked child.
//
// The child has a copy of the process's memory, but only one thread: the thread that forked. From
// the child's view, every other thread has stopped for ever between two instructions, and
// everything that the other thread stored before that point is visible. (A store that waits for the
// kernel to copy a page delays the thread's later stores. Earlier stores become visible in order on
// x86-64; on AArch64, only if a release requires it.) So a structure that changes by a single store
// is consistent. A lock may be held by a thread that no longer exists; each module therefore
// replaces its own locks by new ones (forget_other_threads). The runtime takes no lock before the
// fork, because it might have to wait for a lock that the fork handlers of another library hold.
//
// In each team that the forking thread is in, only this thread remains. It becomes leader and
// member 0, even if it was another member before. The rules:
//
//   - Tasks that had not begun at the fork are run by this thread, whichever queue they are in.
//   - Tasks that another thread was running at the fork never end, and neither does any wait for
//     such a task. The team may have such tasks, so it becomes orphaned:
//
//         whole ──fork in a region of several threads──> orphaned ──the region's end──> whole
//
//     In an orphaned team only this thread can create work or end a wait. Whenever this thread
//     finds nothing to run, its wait ends (sched/wait.h). This rule is necessary because the team's
//     counts of tasks never agree, so a wait for a quiet team would never end. The rule applies to
//     every wait in that region, including a wait for the event of a detachable task.
//   - Chunks of loops that other threads had taken are lost. This thread takes all chunks that are
//     left (loop/work_share.h).
//   - A leader's thread continues after the region's end. If the forking thread was not the leader,
//     it has no caller to which it could return, and ends as if its start routine returned. Since
//     it is the last thread, the process also ends normally, with status 0.
//   - These rules hold for each team around the thread, from the innermost outwards, up to the
//     first team that the thread does not lead. They also hold for the teams around a target
//     region, although the initial team of the target region is not inside them.
//   - If the thread leads a team but was not running in it at the fork, that team has no other
//     threads in the child. The same holds for the teams nested in it. For a fork between regions
//     this is the only rule that applies.
//
// The Team, Member and Worker records of threads that no longer exist stay as they are, a few
// hundred bytes each; the child does not use them.
#pragma once

#include "team/worker.h"

namespace teff::region {

// Called in a forked child. `worker` is the worker of the child's only thread, or null if the
// thread has none.
void forget_other_threads(team::Worker* worker);

} // namespace teff::region
