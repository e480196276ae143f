// SPDX-License-Identifier: Apache-2.0
//
// SwitchRing: the kernel's own account of when one thread was off its processor.
//
// A perf event that counts nothing asks the kernel to write a record at each context switch of the
// thread into a ring buffer, which the thread shares with the kernel. This needs no privilege while
// perf_event_paranoid is 2 or less, and costs the thread nothing while it runs. `drain` turns the
// records into intervals, in ticks.
//
// A SwitchRing is owned and used by the thread that it is about. `open` makes the event on a
// separate thread (apart.h), which closes the event's file again: the mapping alone keeps the event
// alive, so the program never has a descriptor of it. The kernel does not copy the mapping at a
// fork. So the memory of a SwitchRing must be all zero in a forked child (stream_memory.h), and
// whoever calls `drain` has blocked the signals, as a handler could fork in the middle.
//
// The kernel may refuse the event, or the memory for the ring (perf_event_mlock_kb): then a smaller
// ring is tried, and then the ring stays closed. An all-zero object is closed.
//
// [switch-1] The kernel stores records before `data_head`; `drain` loads `data_head` by an acquire
//            load, and stores `data_tail` by a release store after it has read the records. The
//            kernel does not overwrite what lies between the two: it drops records instead.
#pragma once

#include <atomic>
#include <cstdint>
#include <linux/perf_event.h>

#include "base/clock.h"
#include "probe/trace/apart.h"
#include "probe/trace/guest.h"
#include "probe/trace/switch_records.h"

namespace teff::probe::trace {

class SwitchRing {
  public:
    using Ticks = base::Ticks;
    static constexpr std::size_t kMostPages = 32, kFewestPages = 2;
    // The same instant on both clocks: in ticks, and in nanoseconds of the monotonic clock.
    struct Instant {
        Ticks ticks = 0;
        std::uint64_t ns = 0;
    };
    struct Off {
        Ticks begin, ticks;
        bool was_preempted; // false: the thread slept
    };

    // Opens the ring, with at most `most_pages` pages of records, for the calling thread, whose
    // kernel id is `thread`. A ring that is open is closed before. Does nothing if a filter for
    // system calls was set up before the library was loaded, as the filter may end a process that
    // makes a call unknown to it.
    void open(const Guest& guest, std::uint32_t thread, std::size_t most_pages = kMostPages);
    void close();
    bool is_open() const { return page_ != nullptr; }

    // The thread slept for a reason that has a record of its own: this sleep is not told again.
    // Returns true if `drain` must be called before the next sleep is noted.
    bool note_sleep(Ticks begin, Ticks end) {
        if (sleeps_ < kSleeps) asleep_[sleeps_++] = {begin, end};
        return sleeps_ == kSleeps;
    }

    // Calls `visit` with each interval since the last call, in order. Returns false if intervals
    // are missing.
    template <class Visit> bool drain(Visit&& visit);

    // Returns the instant at `ns` by the line through two instants; what lies outside of the two
    // counts as at the nearer one.
    static Ticks ticks_at(std::uint64_t ns, const Instant& from, const Instant& until);
    // Returns the same instant on both clocks as exactly as it can be read.
    static Instant now();

  private:
    static constexpr unsigned kSleeps = 64;
    // A ring with less free space may have dropped records that it does not tell of yet.
    static constexpr std::size_t kLeastSpace = 64;

    struct Sleep {
        Ticks begin, end;
    };

    void map(std::uint32_t thread, std::size_t most_pages);
    bool is_noted(Ticks begin, Ticks ticks);

    perf_event_mmap_page* page_ = nullptr; // null: closed
    const char* data_ = nullptr;
    std::size_t bytes_ = 0; // of data
    std::uint64_t tail_ = 0;
    Instant since_{}; // of the last drain
    unsigned sleeps_ = 0;
    unsigned sleeps_passed_ = 0; // those that ended before the interval at hand
    Sleep asleep_[kSleeps];      // without an initialiser, as the stack: their pages stay untouched
    ApartStack stack_;
};

template <class Visit> bool SwitchRing::drain(Visit&& visit) {
    using Kind = SwitchRecords::Kind;
    const std::uint64_t head = std::atomic_ref(page_->data_head).load(std::memory_order_acquire); // [switch-1]
    const Instant until = now();
    bool is_whole = head - tail_ + kLeastSpace <= bytes_;
    SwitchRecords records(data_, bytes_, tail_, head);
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
    std::atomic_ref(page_->data_tail).store(head, std::memory_order_release); // [switch-1]
    tail_ = head;
    since_ = until;
    sleeps_ = 0;
    return is_whole;
}

} // namespace teff::probe::trace
