// SPDX-License-Identifier: Apache-2.0
//
// Measures what recording costs a thread: once, when the recording begins, on memory of the
// recorder's own, with the calls that the events make. So a reader can subtract the recorder's part
// from the recorded times.
//
// A round is a few records of one type. The shortest quarter of many rounds counts, so that neither
// an interruption nor a cold cache has an effect. The whole measurement takes some hundreds of
// microseconds.
#pragma once

#include <cstddef>

#include "probe/trace/folder.h"
#include "probe/trace/stream.h"

namespace teff::probe::trace {

struct RecordCost {
    const char* name; // of the type of record
    Ticks after;      // what a record adds to what follows its last instant
    Ticks within;     // and to the interval that it states
};

class RecordCosts {
  public:
    // All 0 where there is no memory for it. It asks for some, and gives it back.
    void measure(const Guest& guest, Folder& folder);

    const RecordCost* begin() const { return costs_; }
    const RecordCost* end() const { return costs_ + count_; }

  private:
    static constexpr std::size_t kMost = 16;
    RecordCost costs_[kMost];
    std::size_t count_;
};

} // namespace teff::probe::trace
