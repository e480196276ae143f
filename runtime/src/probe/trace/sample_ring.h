// SPDX-License-Identifier: Apache-2.0
//
// SampleRing: where one thread was, at regular intervals of its processor time.
//
// A perf event of the thread's processor time asks the kernel to write down where the thread is,
// each time that the thread has used another period of it, into a ring buffer (event_ring.h). The
// thread is interrupted by the kernel for that, and gets no signal. A thread that sleeps or has no
// processor is not sampled. Samples of the kernel's code need a privilege (perf_event_paranoid of 1
// or less). Without it, the kernel leaves out the samples that fall into its code; but the count
// goes on, so each sample tells how many are missing before it: so many periods the thread was in
// the kernel. `drain` hands out the samples, in ticks.
//
// Who does what:
//
//     open     the thread, when it gets its stream, or when it is sampled again in a later window
//     write    the kernel, until the ring is full; then it drops samples, and counts them
//     drain    the thread, at the first end of an interval after a millisecond, at the end of a
//              window, and at its own end (stream_samples.cpp). So a thread that meets no event for
//              long keeps the first samples of that time, as many as the ring holds; the number of
//              lost samples is recorded with the next drain
//     close    the thread, at its end. The kernel ends the event at an exec; a forked child has no
//              mapping of the ring, and finds this object all zero
//
// A SampleRing is owned and used by the thread that it is about, with signals blocked. An all-zero
// object is closed.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "probe/trace/event_ring.h"
#include "probe/trace/sample_records.h"
#include "probe/trace/two_clocks.h"

namespace teff::probe::trace {

class SampleRing {
  public:
    using Ticks = base::Ticks;
    static constexpr std::size_t kMostPages = 64;
    struct Hit {
        Ticks when;
        std::uintptr_t address; // in the program's code; 0: not known
        std::uint32_t unseen;   // samples before this one that fell into the kernel, and are not shown
        bool in_kernel;         // and entered it at `address`
    };

    // Samples the thread once in `period_ns` of its processor time. See EventRing::open.
    void open(const Guest& guest, std::uint32_t thread, std::uint64_t period_ns, std::size_t most_pages = kMostPages);
    // Does the same for the thread's own code alone, with a signal for each sample
    // (sample_signal.h).
    void open_with_signal(const Guest& guest, std::uint32_t thread, std::uint64_t period_ns, std::size_t most_pages);
    void close() { ring_.close(); }
    bool is_open() const { return ring_.is_open(); }
    std::uint64_t period_ns() const { return period_ns_; }

    // Calls `visit` with each sample since the last call, in order. Returns how many were lost. The
    // kernel tells of lost samples with the next one that fits, which there may be none of: so if
    // the ring is full, the number is computed from the thread's CPU time.
    template <class Visit> std::uint64_t drain(Visit&& visit);

  private:
    // A ring with less free space may have lost samples that it does not tell of yet.
    static constexpr std::size_t kLeastSpace = 64;

    std::uint32_t unseen_before(const SampleRecords::Sample& sample);
    void begin(std::uint64_t period_ns);
    std::uint64_t lost_untold();
    std::uint64_t not_yet_counted(std::uint64_t told);

    EventRing ring_;
    BothClocks since_{}; // of the last drain
    std::uint64_t period_ns_ = 0;
    std::uint64_t began_cpu_ns_ = 0; // the thread's CPU time when the event was made
    std::uint64_t count_ns_ = 0;     // of the last sample
    std::uint64_t ahead_ = 0;        // lost samples that were counted before the kernel told of them
    bool has_gap_ = false;           // samples were lost since the last one
    bool sees_kernel_ = false;       // there are samples of the kernel's code
};

template <class Visit> std::uint64_t SampleRing::drain(Visit&& visit) {
    using Kind = SampleRecords::Kind;
    const std::uint64_t head = ring_.head();
    const BothClocks until = BothClocks::now();
    const bool is_full = ring_.unread(head) + kLeastSpace > ring_.bytes();
    std::uint64_t lost = 0;
    SampleRecords records(ring_.records(head));
    for (auto at = records.next(); at.kind != Kind::kEnd; at = records.next()) {
        if (at.kind == Kind::kLost) {
            lost += not_yet_counted(at.lost);
            has_gap_ = true;
            continue;
        }
        const std::uint32_t unseen = unseen_before(at);
        visit(Hit{ticks_at(at.ns, since_, until), static_cast<std::uintptr_t>(at.address), unseen, at.in_kernel});
    }
    if (is_full) lost += lost_untold();
    ring_.read_until(head);
    since_ = until;
    return lost;
}

} // namespace teff::probe::trace
