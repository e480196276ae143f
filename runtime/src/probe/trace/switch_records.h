// SPDX-License-Identifier: Apache-2.0
//
// SwitchRecords: reads what the kernel has written about a thread's context switches into the ring
// buffer of a perf event.
//
// The event has the sample type PERF_SAMPLE_TIME, so a record of a switch has the kernel's time as
// its second word.
#pragma once

#include <cstdint>

#include "probe/trace/ring_records.h"

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

    explicit SwitchRecords(const RingRecords& records) : records_(records) {}

    Switch next();

  private:
    RingRecords records_;
};

} // namespace teff::probe::trace
