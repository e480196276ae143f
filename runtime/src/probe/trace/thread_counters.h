// SPDX-License-Identifier: Apache-2.0
//
// ThreadCounters: what the kernel and the processor count of one thread, read at any moment by that
// thread (stream_counts.cpp says when).
//
// The recorder has no descriptor in the program's table (apart.h), so no value is read from a
// perf event's file:
// - The kernel's own counts, such as page faults, are those of getrusage and of the thread's CPU
//   clock. They need neither a perf event nor a privilege, and take two system calls, or one.
// - The processor's counts come from one group of perf events, of the thread's code outside of the
//   kernel. A thread apart opens it, maps one page of each event, and closes its file; the mapping
//   keeps the event alive. The page tells which counter of the processor the event has, and the
//   thread reads this counter by an instruction. An event that cannot be read in this way is
//   refused, and so are all if the program was started under a filter for system calls.
//
// A ThreadCounters is owned and used by the thread that it is about. An all-zero object is closed.
// The kernel does not copy the mappings at a fork, so the memory must be all zero in a child
// (stream_memory.h).
//
// [page-1] The kernel changes a page only while the thread does not run, and counts `lock` up
//          before and after. So the thread has read a page as a whole if `lock` is the same behind
//          it; the fences keep only the compiler from moving loads.
#pragma once

#include <array>
#include <cstdint>
#include <linux/perf_event.h>

#include "probe/trace/apart.h"
#include "probe/trace/counted_events.h"
#include "probe/trace/guest.h"

namespace teff::probe::trace {

class ThreadCounters {
  public:
    static constexpr unsigned kMost = CountedEvents::kMost;
    using Values = std::array<std::uint64_t, kMost>;

    enum class Refusal : std::uint8_t {
        kNone,
        kNotOfThread, // an event of the kernel that it does not tell for a thread
        kFiltered,    // the program was started under a filter for system calls
        kByKernel,    // see `error`
        kNotReadable, // the kernel does not let programs read the processor's counters
        kNoCounter,   // all counters of the processor are taken, or too many events were asked for
    };
    struct Refused {
        Refusal reason = Refusal::kNone;
        int error = 0; // of the system call; 0: none
    };

    // Opens all events that can be counted, for the calling thread, whose kernel id is `thread`.
    // What was open is closed before. `refused` tells of each event why it is not counted.
    void open(const Guest& guest, std::uint32_t thread, const CountedEvents& events, Refused (&refused)[kMost]);
    void close();

    // How many events are counted, and the position of each among those that were asked for.
    unsigned count() const { return count_; }
    unsigned event(unsigned at) const { return sources_[at].event; }

    // Read the values, as late (before) or as early (after) as possible among what the call does.
    // Return false if the thread must not make system calls now.
    [[nodiscard]] bool read_before(Values& values) const;
    [[nodiscard]] bool read_after(Values& values) const;

    // The counts from `began` to `ended`, without those of the calls of read_before and read_after
    // themselves.
    Values between(const Values& began, const Values& ended) const;

  private:
    enum class Kind : std::uint8_t {
        kClock,
        kFaults,
        kMinorFaults,
        kMajorFaults,
        kSwitches,
        kHardware,
        kNotOfThread,
    };
    struct Source {
        Kind kind;
        std::uint8_t event;
        const perf_event_mmap_page* page; // of kHardware
    };
    using Pages = const perf_event_mmap_page* [kMost];

    static Kind kind_of(const CountedEvent& event);
    static void map_group(std::uint32_t thread, const CountedEvents& events, Pages& pages, Refused (&refused)[kMost]);
    static Refusal fault_of(const perf_event_mmap_page& page);
    void add(Kind kind, unsigned event, const perf_event_mmap_page* page = nullptr);
    void read_hardware(Values& values) const;
    void read_clock(Values& values) const;
    void read_usage(Values& values) const;
    void measure_own();

    unsigned count_ = 0;
    bool has_clock_ = false, has_usage_ = false, has_hardware_ = false;
    Source sources_[kMost];
    Values own_;       // what a read_before and the read_after behind it count
    ApartStack stack_; // without an initialiser: its pages stay untouched
};

} // namespace teff::probe::trace
