// SPDX-License-Identifier: Apache-2.0
//
// Stream: one worker's records of a recording, in the format of teff_trace.h.
//
// Owned and written by one worker's thread; no lock, no system call but once per chunk (1 MiB). Every method appends one record. When
// the disk is full or the stream's limit (TEFF_TRACE_LIMIT) is reached, records are counted instead of stored and the
// program goes on. Times are ticks (base/clock.h), ids as in teff_trace.h.
//
// Event points in the runtime read Worker::trace and do nothing when it is null: that one branch is the cost of a probe that is off.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "teff_trace.h"

namespace teff::probe::trace {

using base::Ticks;

class Stream {
public:
    // The id of a place in the program: `call_site` the return address of the construct's call, `function` what it runs (or null).
    // Known places cost one look into a small table; a new one writes a SITE record (and a MODULE record).
    std::uint32_t site(const void* call_site, const void* function);

    void create(Ticks when, std::uint8_t flags, std::uint64_t task, std::uint64_t parent, std::uint32_t site, Ticks cost);
    void start(Ticks when, std::uint64_t task, std::uint64_t region);
    void run(Ticks start, Ticks end, std::uint8_t flags, std::uint64_t task, std::uint64_t region);
    void wait(Ticks begin, Ticks end, teff_wait_kind kind, std::uint64_t task, std::uint32_t site, std::uint32_t barrier);
    void region(Ticks when, std::uint64_t region, std::uint64_t parent, std::uint32_t site, std::uint32_t threads, std::uint32_t requested,
                std::uint32_t level);
    void region_end(Ticks when, std::uint64_t region);
    void loop(Ticks when, std::uint8_t flags, std::uint64_t loop, std::uint64_t region, std::uint32_t site, std::uint32_t threads,
              std::int64_t lb, std::int64_t ub, std::int64_t step, std::int64_t chunk);
    void chunk(Ticks start, Ticks end, std::uint64_t loop, std::uint64_t task, std::int64_t first, std::uint64_t iterations);
    void loop_thread(Ticks enter, Ticks leave, std::uint64_t loop, std::uint64_t task);
    void dependence(Ticks when, std::uint64_t successor, std::uint64_t predecessor, std::uint64_t address);
    void idle(Ticks begin, Ticks end);
    void steal(Ticks when, std::uint64_t task, std::uint32_t victim_stream);
};

// Starts the recording if TEFF_TRACE asks for one: makes the directory and meta.json. Called once by the library's constructor.
void start_recording();
// A stream for a worker that begins; null when nothing is recorded. `number` is the worker's (its reuse goes on with the same stream).
Stream* open_stream(std::uint32_t number);
// The program ends in order: completes the streams' clocks and writes end.json. Safe to call twice.
void finish_recording();
// In a forked child: the recording is the parent's; this process records nothing.
void abandon_recording();

} // namespace teff::probe::trace
