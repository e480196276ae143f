// SPDX-License-Identifier: Apache-2.0
//
// Run times: estimates of how long the tasks of each function run, used to decide whether
// preempting a task pays.
//
// The estimates are made only while preemption is on. A preemption costs the processor a signal and
// a switch. If the task is about to end, waiting for its end is cheaper for all. The run time of a
// task is not known in advance, but the tasks of one function are mostly alike. So each function
// has a running mean and a mean deviation, computed as in TCP's estimate of round trips (Jacobson,
// Congestion avoidance and control, SIGCOMM 1988).
//
// Any thread may use these functions. The table's accesses are relaxed, and if two threads update
// one entry at the same time, an update may be lost; an estimate is a hint only.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"

namespace teff::task {

// The run time of one function's tasks. `mean` is 0 if no task of the function has ended yet.
struct RunTime {
    std::uint32_t mean = 0; // ticks; saturates
    std::uint32_t deviation = 0;

    friend bool operator==(const RunTime&, const RunTime&) = default;
};

// Returns the estimate after one more task, which ran for `ran` ticks.
RunTime after_task(RunTime before, base::Ticks ran);

// Returns true if preempting a task pays, that is, if the task is likely to run for at least
// `price` ticks more. `age` is how long it has run. If the task's function is not known, or if the
// task has already run longer than nearly all tasks of its function, its remaining time is unknown,
// and preempting it counts as paying.
bool preempting_pays(const RunTime& known, base::Ticks age, base::Ticks price);

// The process's table of estimates.
class RunTimes {
  public:
    RunTime of(const void* function) const;
    void add(const void* function, base::Ticks ran);

  private:
    static constexpr unsigned kSlots = 256; // a function loses its slot if another function needs the slot

    struct Slot {
        std::atomic<const void*> function{nullptr};
        std::atomic<RunTime> time{};
    };
    static unsigned slot_of(const void* function);

    Slot slots_[kSlots];
};

extern constinit RunTimes run_times;

} // namespace teff::task
