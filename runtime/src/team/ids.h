// SPDX-License-Identifier: Apache-2.0
//
// Ids: numbers that are given once in the life of the process, to tasks, or to regions and loops.
// Who follows a chain of tasks without a lock relies on that (task/eligible.h), and so does a
// recording.
//
// A worker below TEFF_TRACE_STREAMS, which may have a stream in a recording, counts up from its own
// number (teff_trace.h). Others, and such a worker should it ever come to the end of its 2^48,
// count through ranges of 2^32 from a common counter; there are 2^31 of them.
//
// Owner: one worker's thread.
#pragma once

#include <cstdint>

#include "base/cache_line.h"
#include "teff_trace.h"

namespace teff::team {

class Ids {
  public:
    // For the worker with this number.
    void begin(std::uint32_t worker) {
        last_ = worker < TEFF_TRACE_STREAMS ? std::uint64_t{worker} << kStreamShift : next_range();
    }

    // HOT producer. Never 0.
    std::uint64_t next() {
        if (TEFF_UNLIKELY(static_cast<std::uint32_t>(++last_) == 0)) go_on();
        return last_;
    }

    // What next() has answered last.
    std::uint64_t last() const { return last_; }

  private:
    friend struct IdsForTests;
    static constexpr unsigned kStreamShift = 48, kRangeShift = 32;

    // The number before the first of a range that nobody has had.
    TEFF_COLD static std::uint64_t next_range();

    // The lower half of the number is 0: a range is over, or a stream's number begins to look like
    // the next stream's.
    TEFF_COLD void go_on();

    std::uint64_t last_ = 0;
};

} // namespace teff::team
