// SPDX-License-Identifier: Apache-2.0
//
// Running means of what a preemption costs on this machine. Any thread may use these functions,
// also in a signal handler. The accesses are relaxed: an update may be lost.
#pragma once

#include <algorithm>
#include <atomic>

#include "base/clock.h"

namespace teff::preempt {

class RunningMean {
  public:
    // A thread may lose its processor in the middle of a measurement, so one time counts as four
    // times the mean at most.
    void add(base::Ticks time) {
        const base::Ticks before = mean();
        mean_.store(before == 0 ? time : (7 * before + std::min(time, 4 * before)) / 8, std::memory_order_relaxed);
    }
    base::Ticks mean() const { return mean_.load(std::memory_order_relaxed); }

  private:
    std::atomic<base::Ticks> mean_{0};
};

struct Cost {
    RunningMean sending;  // the call that sends a signal
    RunningMean arriving; // from before that call until the handler looks
};
extern constinit Cost cost; // handler.cpp

} // namespace teff::preempt
