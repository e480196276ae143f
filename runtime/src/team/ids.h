// SPDX-License-Identifier: Apache-2.0
//
// Ids: numbers for tasks, regions and loops. Each number is given only once in the life of the
// process. Recordings rely on that, and so do threads that follow a chain of tasks without a lock
// (task/descent.h).
//
// A worker whose number is below TEFF_TRACE_STREAMS may have a stream in a recording. The ids of
// such a worker count up from its own number times 2^48 (teff_trace.h). Other workers, and a worker
// that has used up its 2^48 ids, take ranges of 2^32 ids from a common counter; there are 2^31 such
// ranges.
//
// An object belongs to one worker; only that worker's thread calls its functions.
#pragma once

#include <cstdint>

#include "base/cache_line.h"
#include "teff_trace.h"

namespace teff::team {

class Ids {
  public:
    // Must be called before next(), with the worker's number.
    void begin(std::uint32_t worker) {
        last_ = worker < TEFF_TRACE_STREAMS ? std::uint64_t{worker} << kStreamShift : next_range();
    }

    // HOT producer. Returns the next id, which is never 0.
    std::uint64_t next() {
        if (TEFF_UNLIKELY(static_cast<std::uint32_t>(++last_) == 0)) go_on();
        return last_;
    }

    // Returns true if next_at_once() may be called in place of next().
    bool has_next() const { return static_cast<std::uint32_t>(last_ + 1) != 0; }
    std::uint64_t next_at_once() { return ++last_; }

    // Returns the id that next() has returned last.
    std::uint64_t last() const { return last_; }

  private:
    friend struct IdsForTests;
    static constexpr unsigned kStreamShift = 48, kRangeShift = 32;

    // Reserves a range that no worker has taken. Returns the number before the range's first id.
    TEFF_COLD static std::uint64_t next_range();

    // Called when the lower half of the number is 0. This happens when a range is used up, or
    // before a stream's numbers would look like those of the next stream.
    TEFF_COLD void go_on();

    std::uint64_t last_ = 0;
};

} // namespace teff::team
