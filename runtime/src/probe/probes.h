// SPDX-License-Identifier: Apache-2.0
// The sinks that a worker's events can go to. Every event point tests the worker's mask of them, by
// one predicted branch; those of the program's locks test one mask for the process, as threads take
// locks that are no workers.
#pragma once

#include <atomic>
#include <cstdint>

namespace teff::probe {

enum Probe : std::uint8_t {
    kTrace = 1, // trace/: a recording is on
    kOmpt = 2,  // ompt/: a tool is attached
    kStat = 4,  // stat/: the worker's doings are counted
    kTimes = 8, // and timed
};

// Who may want to hear of locks: a tool, until it is known that there is none (ompt/tool.h); a
// recording, once it is announced. Relaxed: it is the cheapest question, for constructs of a few
// nanoseconds, and says only that others are to be asked.
extern constinit std::atomic<std::uint8_t> lock_listeners;

inline bool locks_may_be_told() { return lock_listeners.load(std::memory_order_relaxed) != 0; }
inline bool locks_may_be_recorded() { return (lock_listeners.load(std::memory_order_relaxed) & kTrace) != 0; }

inline void may_tell_of_locks(Probe sink) { lock_listeners.fetch_or(sink, std::memory_order_relaxed); }
inline void tell_no_more_of_locks(Probe sink) {
    lock_listeners.fetch_and(static_cast<std::uint8_t>(~sink), std::memory_order_relaxed);
}

} // namespace teff::probe
