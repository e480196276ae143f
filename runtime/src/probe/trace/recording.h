// SPDX-License-Identifier: Apache-2.0
//
// The recording as a whole: its directory, meta.json and end.json, and the list of its streams.
//
//     none ──announce──> announced ──first open_stream──> on ──finish──> over
//
// It begins at the program's first use of OpenMP, so a shell or another wrapper that merely loads
// the library leaves no trace.
//
// A forked child writes nothing into its parent's files. However it was forked, it finds the
// recording's memory empty (MADV_WIPEONFORK), and so in the state `none` (kNone). The handler of
// fork brings it from there to `announced`: its use of OpenMP is a recording of its own, beside its
// parent's (folder.h), that begins with its first record. The plan, which it needs for that, is not
// emptied. A child that was forked without that handler stays at `none`. Two kinds of children are
// brought to `over`: one whose parent had no part in a recording yet, and so cannot know who shares
// it, and any child if the kernel cannot empty memory (before Linux 4.14).
//
// Streams live as long as the process, so a thread that records while the process exits writes into
// valid memory. What the recorder does while the program runs goes unnoticed: guest.h, apart.h.
#pragma once

#include <cstdint>

#include "probe/trace/stream.h"

namespace teff::probe::trace {

// Notes the time and that TEFF_TRACE asks for a recording, if it does. `note_groups` adds the
// control groups that limit the process's memory; null: none do. Called once by the library's
// constructor.
void announce_recording(int usable_processors, void (*note_groups)(MemoryGroups&) = nullptr);

// The stream of the worker `number`; null when nothing is recorded of it, as of those from
// TEFF_TRACE_STREAMS on. The first call makes the directory and meta.json; a directory with
// something in it that is not shared (folder.h) is refused, with a warning, and nothing is
// recorded. A worker number that is used again goes on with its stream.
Stream* open_stream(std::uint32_t number);

// The program ends in order: writes end.json, and the last records of the calling thread's stream
// `own` (may be null). Only the first call counts.
void finish_recording(Stream* own);

// The hold of a lock that is given back by another worker than the one that took it, which is the
// caller's to end (LockHolds::end): whosever it is. False: it has not been recorded. It looks
// through all streams.
bool end_lock_hold(const void* lock, LockHold& hold);

// In a forked child whose thread had a chunk there, and which does not get it: lets it store there
// what nobody will read. A signal handler that forks may have interrupted the recorder.
void stand_in_for_chunk(void* chunk);

// In a forked child, before the program sees it. Its thread is the worker `number`, in the middle
// of `task`: this will be the initial task of the child's recording. Returns that worker's stream;
// null: nothing is recorded of it.
Stream* begin_anew(std::uint32_t number, std::uint64_t task);
// The same where the thread is no worker yet.
void begin_anew();

} // namespace teff::probe::trace
