// SPDX-License-Identifier: Apache-2.0
//
// Which tasks a member may run while it waits outside any task of its own: at a barrier, at the end
// of a region, between regions. Waits inside a task ask for more: task/eligible.h.
//
// [phase-1] A member that waits at a barrier, or that has joined, may not run tasks that the others
// create after it: its own next step (the initialisation of a reduction's private copy, for
// example) has to come first. The phase goes up before anyone can create such a task, so a thief
// that sees the task in a queue (acquire) sees the new phase, too, and refuses.
#pragma once

#include "base/atomics.h"
#include "sched/runnable.h"

namespace teff::sched {

// Any task will do: the leader's wait at the join.
struct Everything {
    static constexpr bool constrained() { return false; }
    bool operator()(const Runnable*) const { return true; }
};

// Any task, while the phase is the one in which the wait began.
template <class Atomics> class OfPhaseOver {
  public:
    using Phase = typename Atomics::template atomic<std::uint32_t>;

    OfPhaseOver(const Phase& now, std::uint32_t phase) : now_(now), phase_(phase) {}

    static constexpr bool constrained() { return false; }
    bool operator()(const Runnable*) const { return now_.load(std::memory_order_acquire) == phase_; } // [phase-1]

  private:
    const Phase& now_;
    std::uint32_t phase_;
};

} // namespace teff::sched
