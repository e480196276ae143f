// SPDX-License-Identifier: Apache-2.0
//
// SwitchRing: the kernel's own account of when one thread was off its processor.
//
// A perf event that counts nothing asks the kernel to write a record at each context switch of the
// thread into a ring buffer (event_ring.h). This needs no privilege while perf_event_paranoid is 2
// or less, and costs the thread nothing while it runs. `drain` turns the records into intervals, in
// ticks.
//
// A SwitchRing is owned and used by the thread that it is about; see EventRing for forks, and for
// what the kernel may refuse. An all-zero object is closed.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "probe/trace/event_ring.h"
#include "probe/trace/switch_records.h"
#include "probe/trace/two_clocks.h"

namespace teff::probe::trace {

class SwitchRing {
  public:
    using Ticks = base::Ticks;
    static constexpr std::size_t kMostPages = 32, kFewestPages = EventRing::kFewestPages;
    struct Off {
        Ticks begin, ticks;
        bool was_preempted; // false: the thread slept
    };

    // See EventRing::open.
    void open(const Guest& guest, std::uint32_t thread, std::size_t most_pages = kMostPages);
    void close() { ring_.close(); }
    bool is_open() const { return ring_.is_open(); }

    // The thread slept for a reason that has a record of its own: this sleep is not told again.
    // Returns true if `drain` must be called before the next sleep is noted.
    bool note_sleep(Ticks begin, Ticks end) {
        if (sleeps_ < kSleeps) asleep_[sleeps_++] = {begin, end};
        return sleeps_ == kSleeps;
    }

    // Calls `visit` with each interval since the last call, in order. Returns false if intervals
    // are missing.
    template <class Visit> bool drain(Visit&& visit);

  private:
    static constexpr unsigned kSleeps = 64;
    // A ring with less free space may have dropped records that it does not tell of yet.
    static constexpr std::size_t kLeastSpace = 64;

    struct Sleep {
        Ticks begin, end;
    };

    bool is_noted(Ticks begin, Ticks ticks);

    EventRing ring_;
    BothClocks since_{}; // of the last drain
    unsigned sleeps_ = 0;
    unsigned sleeps_passed_ = 0; // those that ended before the interval at hand
    Sleep asleep_[kSleeps];      // without an initialiser: their pages stay untouched
};

template <class Visit> bool SwitchRing::drain(Visit&& visit) {
    using Kind = SwitchRecords::Kind;
    const std::uint64_t head = ring_.head();
    const BothClocks until = BothClocks::now();
    bool is_whole = ring_.unread(head) + kLeastSpace <= ring_.bytes();
    SwitchRecords records(ring_.records(head));
    SwitchRecords::Switch left{Kind::kEnd, 0};
    sleeps_passed_ = 0;
    for (auto at = records.next(); at.kind != Kind::kEnd; at = records.next()) {
        is_whole = is_whole && at.kind != Kind::kLost;
        const bool was_off = left.kind == Kind::kSlept || left.kind == Kind::kPreempted;
        if (at.kind == Kind::kBack && was_off) {
            const Ticks begin = ticks_at(left.ns, since_, until), end = ticks_at(at.ns, since_, until);
            const bool was_preempted = left.kind == Kind::kPreempted;
            if (end > begin && (was_preempted || !is_noted(begin, end - begin)))
                visit(Off{begin, end - begin, was_preempted});
        }
        left = at;
    }
    ring_.read_until(head);
    since_ = until;
    sleeps_ = 0;
    return is_whole;
}

} // namespace teff::probe::trace
