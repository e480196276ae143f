// SPDX-License-Identifier: Apache-2.0
//
// BlockedWait: a wait that blocks its thread, for a lock, for a turn at an ordered region, or for
// iterations of a doacross loop. Such a wait is not a task scheduling point, because the task may
// rely on the state of its thread (a pthread mutex, threadprivate data).
//
// But the wait may be for a task that was suspended on this thread, which no other thread may
// continue (decision 0014): the holder of the lock may wait for that task. So a blocked wait lets
// ready contexts continue when it has lasted for kPatience_ns, and then once in each kLookAgain_ns.
// Where preemption relaxes the constraints (constraint.h), it does so from the beginning. A thread
// without suspended contexts only blocks.
//
// A BlockedWait belongs to the waiting task, and is used on its thread only.
#pragma once

#include "base/clock.h"
#include "idle/limits.h"
#include "task/constraint.h"

namespace teff::task {

class BlockedWait {
  public:
    explicit BlockedWait(team::Worker& worker)
        : worker_(worker), may_leave_(worker.member->suspended != nullptr && !preempt::holds()) {
        if (TEFF_UNLIKELY(may_leave_)) leaves_after(is_relaxed() ? 0 : idle::kBlockedPatience_ns);
    }

    // Returns true if the thread must not just block until the awaited event.
    bool may_leave() const { return may_leave_; }

    // Returns true if ready contexts are to continue now: the caller ends its wait, calls
    // let_others_continue, and waits again.
    bool has_others() const {
        return TEFF_UNLIKELY(may_leave_) && worker_.member->ready.any() && base::ticks() >= leaves_at_;
    }
    // Requires that the thread can leave the current context. Returns when the context has its turn
    // again.
    TEFF_COLD void let_others_continue();

    // The interval at which a sleeper calls has_others, in nanoseconds; 0 if it need not.
    std::uint64_t look_again_ns() const { return may_leave_ ? idle::kLookAgain_ns : 0; }

    // Waits until `over()` returns true. `wait(look_again_ns, ready)` returns when the event has
    // come or `ready()` returns true; it calls `ready` before it sleeps, and at least at that
    // interval unless this is 0. `interval_ns` is the interval that `over` needs, or 0.
    template <class Over, class Wait> void until(Over&& over, std::uint64_t interval_ns, Wait&& wait) {
        const std::uint64_t interval = interval_ns != 0 ? interval_ns : look_again_ns();
        for (;;) {
            wait(interval, [&] { return over() || has_others(); });
            if (over()) return;
            let_others_continue();
        }
    }

  private:
    void leaves_after(std::uint64_t ns) { leaves_at_ = base::ticks() + idle::in_ticks(ns); }

    team::Worker& worker_;
    bool may_leave_;
    base::Ticks leaves_at_ = 0;
};

} // namespace teff::task
