// SPDX-License-Identifier: Apache-2.0
//
// SwitchRecords: reads what the kernel has written about a thread's context switches into the ring
// buffer of a perf event, from one position up to another.
//
// The ring holds `bytes` bytes, a power of two. Positions only grow, and a position modulo `bytes`
// is a place in the ring. A record begins with a perf_event_header, and its size is a multiple of
// 8; it may go on at the ring's beginning. The event has the sample type PERF_SAMPLE_TIME, so a
// record of a switch has the kernel's time as its second word.
//
// This file makes no system call, and believes no size that it reads.
#pragma once

#include <cstddef>
#include <cstdint>

namespace teff::probe::trace {

class SwitchRecords {
  public:
    enum class Kind : std::uint8_t {
        kEnd,       // no record is left
        kSlept,     // the thread gave up its processor
        kPreempted, // the thread lost its processor although it could go on
        kBack,      // the thread got a processor
        kLost,      // records did not fit into the ring, or what it holds is not a record
    };
    struct Switch {
        Kind kind;
        std::uint64_t ns; // of kSlept, kPreempted and kBack
    };

    SwitchRecords(const char* ring, std::size_t bytes, std::uint64_t from, std::uint64_t until)
        : ring_(ring), bytes_(bytes), at_(from), until_(until) {}

    Switch next();

  private:
    std::uint64_t word(std::uint64_t at) const;

    const char* ring_;
    std::size_t bytes_;
    std::uint64_t at_, until_;
};

} // namespace teff::probe::trace
