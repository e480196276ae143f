// SPDX-License-Identifier: Apache-2.0
//
// Spread: moves a worker off its leader's processor.
//
// When a worker is woken, the kernel may put it on its leader's processor although another
// processor is idle: the kernel does not look for an idle processor if processors are idle only for
// moments. If regions and waits are short, one of the two threads always sleeps. So the kernel's
// load balancer sees one running thread, and leaves both threads there. Each region then costs two
// spins and two wake-ups, some 50 us instead of less than 1 us.
//
// Each thread notes on which processor it gives way, that is, sleeps or yields. A worker moves if
// it continues, several times in a row, on the processor where its leader has given way since. To
// move, it takes that processor out of its own affinity mask for a moment. It moves at most once in
// a certain time, and less often if moving does not help. It never moves if it is bound, if it has
// one processor only, or if more threads are at work than there are processors.
//
// The functions are called by the worker's own thread when it gives way. Other threads read
// GaveWay only.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "idle/limits.h"

namespace teff::idle {

// On which processor a thread gave way last, and how often it has given way.
class GaveWay {
  public:
    void write(unsigned processor) {
        const std::uint32_t times = static_cast<std::uint32_t>(read() >> 32) + 1;
        note_.store(std::uint64_t{times} << 32 | processor, std::memory_order_relaxed);
    }
    // Returns the note. If two calls return the same note, the thread has not given way in between.
    std::uint64_t read() const { return note_.load(std::memory_order_relaxed); }
    static unsigned processor_of(std::uint64_t note) { return static_cast<std::uint32_t>(note); }

  private:
    std::atomic<std::uint64_t> note_{0};
};

// Decides when a worker moves.
class Spread {
  public:
    // Called when the worker continues on `processor`. `leader` is its leader's note. Returns true
    // if the worker is to move.
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
    unsigned times_ = 0; // times in a row on the processor where the leader gave way
    base::Ticks not_before_ = 0;
    base::Ticks stay_ = 0; // the time that the worker must stay after its last move
};

// Notes the processor. Called before the calling thread sleeps or yields.
void note_giving_way(GaveWay& own);
// Moves the calling thread if Spread::goes_on says so. Called after the thread has slept or
// yielded.
void spread(Spread& own, const GaveWay& leader);

} // namespace teff::idle
