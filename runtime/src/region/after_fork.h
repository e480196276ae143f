// SPDX-License-Identifier: Apache-2.0
//
// What becomes of regions and teams in a forked child.
//
// The child has a copy of everything, but of the threads only the one that forked. To it, every
// other thread has stopped for ever between two instructions, and everything that the other thread
// stored before is there: x86 stores in order, and a store that waits for the kernel to copy a page
// delays those after it. So a structure that changes by one store is consistent. Its lock may be
// held by a thread that is gone, so it is replaced by a new one; each module does that for its own
// (forget_other_threads). No lock is taken before the fork: another library's handlers may hold
// what we would wait for.
//
// In each team that the thread is in, it alone remains, as leader and member 0, even if it was
// another member before. The rules:
//
//   - Tasks that had not begun at the fork go on, whoever's queue they were in: this thread runs
//     them.
//   - Tasks that another thread was in the middle of never end; nor does what waits for them. The
//     team may have such tasks, so it is an orphan:
//
//         whole ──fork in a region of several threads──> orphaned ──the region's end──> whole
//
//     In an orphaned team nobody but this thread can make work or end a wait. Whenever it finds
//     nothing to run, the wait is over (sched/wait.h). Its counts of tasks never agree, so that
//     nothing but this ends the waits for a quiet team. All this holds for every wait of that
//     region, also for one for the event of a detachable task.
//   - Chunks of loops that others had taken are lost; this thread takes all that are left
//     (loop/work_share.h).
//   - The leader's thread goes on behind the region's end. Any other thread has no one to go back
//     to: as a thread does whose start routine returns, it ends, and with it, since it is the last
//     one, the process, in order and with status 0.
//   - All this holds for each team around the thread that it leads, outwards to the first one that
//     it does not; also for those around a target region, whose initial team is not inside theirs.
//   - Teams that the thread leads but is not in now, one inside the other, have no threads yet.
//     Between regions that is all.
//
// Teams, members and workers of threads that are gone stay as they are: the child does not use
// these few hundred bytes each.
#pragma once

#include "team/worker.h"

namespace teff::region {

// In a forked child: `worker` is its only thread's, or null if that has none.
void forget_other_threads(team::Worker* worker);

} // namespace teff::region
