// SPDX-License-Identifier: Apache-2.0
//
// SampleRecords: reads what the kernel has written about a thread's samples into the ring buffer of
// a perf event.
//
// The event counts the thread's processor time, and takes a sample each time that this has grown by
// the period. A sample has the address at which the thread was, the time, and the count. If the
// event is told of the kernel's code, too, a sample that fell there also has a call chain of one
// entry: the address at which the thread had left its own code.
#pragma once

#include <cstdint>

#include "probe/trace/ring_records.h"

namespace teff::probe::trace {

class SampleRecords {
  public:
    enum class Kind : std::uint8_t {
        kEnd,  // no record is left
        kHit,  // a sample
        kLost, // samples did not fit into the ring, were held back, or what it holds is not a record
    };
    struct Sample {
        Kind kind;
        bool in_kernel = false;
        std::uint64_t address = 0;  // in the program's own code; 0: not known
        std::uint64_t ns = 0;       // the kernel's time
        std::uint64_t count_ns = 0; // the thread's processor time since the event was made
        std::uint64_t lost = 0;     // of kLost: how many, where this is known
    };

    explicit SampleRecords(const RingRecords& records) : records_(records) {}

    Sample next();

  private:
    Sample hit() const;

    RingRecords records_;
};

} // namespace teff::probe::trace
