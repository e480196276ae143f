// SPDX-License-Identifier: Apache-2.0
// The sinks that get a worker's events: the recording, the counters and a tool. Every event point
// tests the worker's mask of sinks, by one predicted branch. The event points of the program's
// locks test one mask for the whole process, as threads that are not workers take locks, too.
#pragma once

#include <atomic>
#include <cstdint>

namespace teff::probe {

enum Probe : std::uint8_t {
    kTrace = 1, // trace/: a recording is on
    kOmpt = 2,  // ompt/: a tool is attached
    kStat = 4,  // stat/: what the worker does is counted
    kTimes = 8, // stat/: what the worker does is timed, too
    // trace/: with kTrace, events of the kernel and the processor are counted in each fragment
    kFragments = 16,
};

// The set of one worker's sinks. Only the worker's own thread adds sinks. Another thread may remove
// the recording, when recording is stopped (trace/window.h); all other changes are made by the
// worker's own thread.
//
// The loads are relaxed: a thread that misses the removal for a moment makes some more records,
// which readers leave out. The changes are seq_cst for [window-1].
class Sinks {
  public:
    Sinks() = default;
    operator std::uint8_t() const { return bits_.load(std::memory_order_relaxed); }
    Sinks& operator=(std::uint8_t bits) {
        bits_.store(bits, std::memory_order_relaxed);
        return *this;
    }
    void add(unsigned sinks) {
        bits_.fetch_or(static_cast<std::uint8_t>(sinks), std::memory_order_seq_cst); // [window-1]
    }
    void remove(unsigned sinks) {
        bits_.fetch_and(static_cast<std::uint8_t>(~sinks), std::memory_order_seq_cst); // [window-1]
    }

  private:
    std::atomic<std::uint8_t> bits_{0};
};

// The sinks that may take events of locks: a tool, until it is known that there is no tool
// (ompt/tool.h); a recording, once it is announced. The accesses are relaxed, as they must be cheap
// for constructs of a few nanoseconds; a set bit only means that the caller has to ask the sink.
extern constinit std::atomic<std::uint8_t> lock_listeners;

inline bool locks_may_be_told() { return lock_listeners.load(std::memory_order_relaxed) != 0; }
inline bool locks_may_be_recorded() { return (lock_listeners.load(std::memory_order_relaxed) & kTrace) != 0; }

inline void may_tell_of_locks(Probe sink) { lock_listeners.fetch_or(sink, std::memory_order_relaxed); }
inline void tell_no_more_of_locks(Probe sink) {
    lock_listeners.fetch_and(static_cast<std::uint8_t>(~sink), std::memory_order_relaxed);
}

} // namespace teff::probe
