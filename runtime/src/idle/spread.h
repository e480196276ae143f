// SPDX-License-Identifier: Apache-2.0
//
// Spread: gets a worker off its leader's processor.
//
// When a worker is woken, the kernel may put it on its leader's processor while another one is
// idle: it does not look for an idle one where processors are idle only for moments. In regions and
// waits that are short, one of the two always sleeps. So the kernel's balancer sees one thread that
// runs, and leaves both there. Each region then costs two spins and two wake-ups, some 50 us
// instead of less than one.
//
// Each thread notes where it gives way, that is, sleeps or yields. A worker that goes on where its
// leader has given way since, several times in a row, moves: it takes that processor out of its own
// affinity mask for a moment. It does so at most once in a while, and less often if it does not
// help. It never does so when it is bound, has one processor only, or more threads are at work than
// processors.
//
// Called by the worker's own thread when it gives way; GaveWay is what it lets others read.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "idle/limits.h"

namespace teff::idle {

// Where a thread gave way last, and how often it has.
class GaveWay {
  public:
    void write(unsigned processor) {
        const std::uint32_t times = static_cast<std::uint32_t>(read() >> 32) + 1;
        note_.store(std::uint64_t{times} << 32 | processor, std::memory_order_relaxed);
    }
    // Two equal answers: it has not given way in between.
    std::uint64_t read() const { return note_.load(std::memory_order_relaxed); }
    static unsigned processor_of(std::uint64_t note) { return static_cast<std::uint32_t>(note); }

  private:
    std::atomic<std::uint64_t> note_{0};
};

// Decides when a worker moves.
class Spread {
  public:
    // The worker goes on, on `processor`; `leader` is its leader's note. True: it is to move.
    [[nodiscard]] bool goes_on(unsigned processor, std::uint64_t leader, base::Ticks now) {
        if (leader == last_note_) return false;
        last_note_ = leader;
        times_ = GaveWay::processor_of(leader) == processor ? times_ + 1 : 0;
        const base::Ticks longest = in_ticks(kLongestStay_ns);
        if (times_ < kTimesBeside || now < not_before_) return false;
        times_ = 0;
        const bool helped = now - not_before_ > longest;
        stay_ = helped || stay_ == 0 ? in_ticks(kFirstStay_ns) : std::min(2 * stay_, longest);
        not_before_ = now + stay_;
        return true;
    }

  private:
    std::uint64_t last_note_ = 0;
    unsigned times_ = 0; // in a row
    base::Ticks not_before_ = 0;
    base::Ticks stay_ = 0; // of last time
};

// Before the calling thread sleeps or yields.
void note_giving_way(GaveWay& own);
// After that: moves the thread, if it is time to.
void spread(Spread& own, const GaveWay& leader);

} // namespace teff::idle
