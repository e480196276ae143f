// SPDX-License-Identifier: Apache-2.0
//
// Measures how much time recording costs a thread. So a reader can subtract the recorder's part
// from the recorded times. The measurement runs once, when the recording begins, on memory of the
// recorder's own, with the calls that the events make.
//
// A round is a few records of one type. The result is the lower quartile of many rounds, so that
// neither an interruption nor a cold cache has an effect. The whole measurement takes some hundreds
// of microseconds.
#pragma once

#include <cstddef>

#include "probe/trace/folder.h"
#include "probe/trace/stream.h"

namespace teff::probe::trace {

struct RecordCost {
    const char* name; // the type of record
    Ticks after;      // the time that a record adds after the last instant that it states
    Ticks within;     // the time that a record adds to the interval that it states
};

class RecordCosts {
  public:
    // Measures the costs. Maps memory for the measurement and unmaps it again. Leaves this object
    // unchanged if there is no memory, or if `guest` must not make system calls.
    void measure(const Guest& guest, Folder& folder);

    const RecordCost* begin() const { return costs_; }
    const RecordCost* end() const { return costs_ + count_; }

  private:
    static constexpr std::size_t kMost = 16;
    RecordCost costs_[kMost];
    std::size_t count_;
};

} // namespace teff::probe::trace
