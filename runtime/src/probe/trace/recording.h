// SPDX-License-Identifier: Apache-2.0
//
// The recording of a process: its directory, meta.json and end.json, and the list of its streams.
//
//     none ──announce──> announced ──first open_stream──> on ──finish──> over
//
// The recording begins at the program's first use of OpenMP, so a shell or another wrapper that
// only loads the library makes no recording.
//
// A forked child writes nothing into its parent's files. However the child was forked, it finds the
// recording's memory all zero (MADV_WIPEONFORK), and so the state `none` (kNone). The handler of
// fork sets the child's state to `announced`: the child then has a recording of its own, beside its
// parent's (folder.h), which begins with the child's first record. The child needs the Plan for
// this recording, so the kernel does not zero the Plan. A child that was forked without the handler
// stays in state `none`. Two kinds of children get the state `over`: a child whose parent had no
// part in a recording yet, so that the child cannot know who shares the recording; and any child if
// the kernel cannot zero memory at a fork (before Linux 4.14).
//
// Streams live as long as the process, so a thread that records while the process exits writes into
// valid memory. The program does not notice what the recorder does while the program runs (guest.h,
// apart.h).
#pragma once

#include <cstdint>

#include "probe/trace/launch.h"
#include "probe/trace/stream.h"

namespace teff::probe::trace {

// If TEFF_TRACE asks for a recording, notes this and the time. `note_groups` adds the control
// groups that limit the process's memory; null means that no group does. Called once, by the
// library's constructor.
void announce_recording(int usable_processors, void (*note_groups)(MemoryGroups&) = nullptr);

// Notes that this process has devices, or is one (device/role.h). Called at most once, by the
// library's constructor, after announce_recording.
void note_devices(const Launch::Devices& devices);

// Returns the stream of the worker `number`, or null if the worker is not recorded. `joins`: the
// worker joins the current window (window.h); otherwise its stream stores nothing yet. Workers with
// numbers from TEFF_TRACE_STREAMS on are not recorded. The first call makes the directory and
// meta.json. If the directory is neither empty nor shared (folder.h), the recorder refuses it with
// a warning, and records nothing. When a worker number is used again, its stream goes on. Called by
// the worker's thread.
Stream* open_stream(std::uint32_t number, bool joins = true);

// begin_window: begins the next window; the caller's worker has yet to join. end_window: ends the
// window at the time `when`, and removes the recording from the sinks of all workers; the record
// goes into `own`, the calling thread's stream (may be null). Both return false if nothing changes.
bool begin_window();
bool end_window(Stream* own, base::Ticks when);
// Ends the window if its duration is over.
void end_window_if_over(Stream* own);
// The same two for windows that regions begin and end (window.h).
void begin_window_by_region();
void end_window_by_region(Stream* own);

// Ends the recording when the program ends in order: writes end.json, and the last records of the
// calling thread's stream `own` (may be null). Only the first call has an effect.
void finish_recording(Stream* own);

// Ends the hold of a lock that another worker took (LockHolds::end), and returns it in `hold`.
// Searches all streams for the hold. Returns false if no stream has it. The caller holds the lock
// and is about to release it.
bool end_lock_hold(const void* lock, LockHold& hold);

// Maps memory in place of `chunk`, which the thread had in the parent and which the child does not
// get. Called in a forked child. If a signal handler forked while it interrupted the recorder, the
// recorder may still store into this memory; no process reads what it stores.
void stand_in_for_chunk(void* chunk);

// Prepares a forked child's own recording. Called in the child, before the program's code runs
// there. The child's thread is the worker `number` and runs `task`, which becomes the initial task
// of the child's recording. Returns the worker's stream, or null if the worker is not recorded.
Stream* begin_anew(std::uint32_t number, std::uint64_t task);
// Does the same if the child's thread is not yet a worker.
void begin_anew();

} // namespace teff::probe::trace
