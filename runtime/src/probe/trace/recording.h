// SPDX-License-Identifier: Apache-2.0
//
// The recording as a whole: its directory, meta.json and end.json, and the list of its streams.
//
//     none ──start_recording──> on ──finish_recording──> over        (the process)
//                               on ──abandon_recording──> over       (a forked child: the files are its parent's)
//
// Streams live as long as the process, so a thread that records while the process exits writes into valid memory.
#pragma once

#include <cstdint>

#include "probe/trace/stream.h"

namespace teff::probe::trace {

// Starts the recording if TEFF_TRACE names a directory: makes it and writes meta.json. A directory with something in it is refused,
// with a warning. Called once by the library's constructor.
void start_recording(int usable_processors);

// A stream for the worker `number`; null when nothing is recorded. A worker number that is used again goes on with its stream.
Stream* open_stream(std::uint32_t number);

// The program ends in order: writes end.json, and the last records of the calling thread's stream `own` (may be null). Only the first call counts.
void finish_recording(Stream* own);

// In a forked child.
void abandon_recording();

} // namespace teff::probe::trace
