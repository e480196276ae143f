// SPDX-License-Identifier: Apache-2.0
//
// Decides which tasks a member may run while it waits outside any task of its own: at a barrier, at
// the end of a region, or between regions. Waits inside a task have stricter rules
// (task/eligible.h).
//
// [phase-1] A member that waits at a barrier, or has joined, must not run tasks that other members
// create after the barrier, because the member's own next step has to come first (for example,
// initialising its private copy for a reduction). The phase is incremented before any member can
// create a task of the next phase. So a thief that sees such a task in a queue (acquire) also sees
// the new phase, and refuses the task.
#pragma once

#include "base/atomics.h"
#include "sched/runnable.h"

namespace teff::sched {

// Admits any task. Used for the leader's wait at the join.
struct Everything {
    static constexpr bool constrained() { return false; }
    bool operator()(const Runnable*) const { return true; }
};

// Admits the tasks that `May` admits and whose priority is above `above`. Used only for tasks that
// cannot be recycled meanwhile.
template <class May> struct AboveOf : May {
    AboveOf(const May& may, std::int32_t priority) : May(may), above(priority) {}
    bool operator()(const Runnable* item) const { return item->priority > above && May::operator()(item); }

    std::int32_t above;
};

// Admits any task as long as the phase has not changed since the wait began.
template <class Atomics> class OfPhaseOver {
  public:
    using Phase = typename Atomics::template atomic<std::uint32_t>;

    OfPhaseOver(const Phase& now, std::uint32_t phase) : now_(now), phase_(phase) {}

    std::uint32_t phase() const { return phase_; }
    static constexpr bool constrained() { return false; }
    bool operator()(const Runnable*) const { return now_.load(std::memory_order_acquire) == phase_; } // [phase-1]

  private:
    const Phase& now_;
    std::uint32_t phase_;
};

} // namespace teff::sched
