// SPDX-License-Identifier: Apache-2.0
//
// Ids: numbers for tasks, regions and loops, each of which is given only once in the life of the
// process. Threads that follow a chain of tasks without a lock rely on that (task/descent.h), and
// so does a recording.
//
// A worker with a number below TEFF_TRACE_STREAMS, which may have a stream in a recording, counts
// up from its own number (teff_trace.h). Other workers, and one that has used up its 2^48 ids, take
// ranges of 2^32 ids from a common counter; there are 2^31 such ranges.
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
