// SPDX-License-Identifier: Apache-2.0
//
// Run times: how long the tasks of each function run, and whether preempting one of them pays.
//
// Kept only while preemption is on. A preempted task costs its processor a signal and a switch. If
// the task is about to end, waiting for its end is cheaper for all. Nobody knows how long a task
// runs, but the tasks of one function are mostly alike, so their running mean and mean deviation
// tell. Both are kept as in TCP's estimate of round trips (Jacobson, Congestion avoidance and
// control, SIGCOMM 1988).
//
// Any thread may use these functions. The table's accesses are relaxed, and two threads that update
// one entry at once may lose an update: an estimate is a hint.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"

namespace teff::task {

// How long tasks of one function run. `mean` is 0 if no task of the function has ended yet.
struct RunTime {
    std::uint32_t mean = 0; // ticks; saturates
    std::uint32_t deviation = 0;

    friend bool operator==(const RunTime&, const RunTime&) = default;
};

// Returns the estimate after one more task, which ran for `ran` ticks.
RunTime after_task(RunTime before, base::Ticks ran);

// Returns true if preempting a task pays: if it is likely to run for at least `price` ticks more.
// `age` is how long it has run. A task whose function is not known, or which has run longer than
// tasks of its function nearly ever do, may run for any time, so preempting it pays.
bool preempting_pays(const RunTime& known, base::Ticks age, base::Ticks price);

// The process's table of estimates.
class RunTimes {
  public:
    using Function = void (*)(void*);

    RunTime of(Function function) const;
    void add(Function function, base::Ticks ran);

  private:
    static constexpr unsigned kSlots = 256; // a function whose slot another function wants loses it

    struct Slot {
        std::atomic<Function> function{nullptr};
        std::atomic<RunTime> time{};
    };
    static unsigned slot_of(Function function);

    Slot slots_[kSlots];
};

extern constinit RunTimes run_times;

} // namespace teff::task
