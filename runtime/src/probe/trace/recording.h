// SPDX-License-Identifier: Apache-2.0
//
// The recording as a whole: its directory, meta.json and end.json, and the list of its streams.
//
//     none ──announce──> announced ──first open_stream──> on ──finish──> over
//
// It begins at the program's first use of OpenMP, so a shell or another wrapper that merely loads
// the library leaves no trace. A forked child records nothing, for the files are its parent's:
// however it was forked, it finds the recording's memory empty (MADV_WIPEONFORK), and so in the
// state `none`. Where the kernel does not know that (before Linux 4.14), abandon_recording brings
// it to `over`.
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
// something in it is refused, with a warning, and nothing is recorded. A worker number that is used
// again goes on with its stream.
Stream* open_stream(std::uint32_t number);

// The program ends in order: writes end.json, and the last records of the calling thread's stream
// `own` (may be null). Only the first call counts.
void finish_recording(Stream* own);

// In a forked child.
void abandon_recording();

} // namespace teff::probe::trace
