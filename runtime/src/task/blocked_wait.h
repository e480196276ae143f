// SPDX-License-Identifier: Apache-2.0
//
// BlockedWait: a wait for a turn at an ordered region or for iterations of a doacross loop. In such
// a wait no thread notifies the waiter's context, so the wait blocks its thread. It is not a task
// scheduling point, because the task may rely on the state of its thread.
//
// If the scheduling constraints are relaxed (constraint.h), the awaited turn or iteration may
// depend on a task that is suspended on this thread, and no other thread may continue that task
// (decision 0014). So in this case a blocked wait lets ready contexts continue, once in each
// kLookAgain_ns. Otherwise it only blocks.
//
// A BlockedWait belongs to the waiting task, and is used on its thread only.
#pragma once

#include "base/clock.h"
#include "idle/limits.h"
#include "task/next.h"

namespace teff::task {

class BlockedWait {
  public:
    explicit BlockedWait(team::Worker& worker)
        : worker_(worker), may_leave_(has_left_tasks(*worker.member) && !waits_in_place(worker)) {}

    // Waits until `over()` returns true, or the team is orphaned (region/after_fork.h).
    // `wait(interval_ns, ready)` returns when the event has come or `ready()` returns true. It
    // calls `ready` before it sleeps, and then at least at that interval, unless the interval is 0.
    // `interval_ns` is the interval that `over` needs, or 0.
    template <class Over, class Wait> void until(Over&& over, std::uint64_t interval_ns, Wait&& wait) {
        if (TEFF_UNLIKELY(may_leave_)) interval_ns = idle::kLookAgain_ns;
        const auto ends = [&] { return over() || is_orphaned(); };
        for (;;) {
            wait(interval_ns, [&] { return ends() || has_others(); });
            if (ends()) return;
            let_others_continue();
        }
    }

  private:
    static bool has_left_tasks(const team::Member& member) {
        return member.suspended != nullptr || member.moving.load(std::memory_order_relaxed) != 0;
    }
    bool is_orphaned() const { return worker_.member->team->orphaned; }
    bool has_others() const {
        return TEFF_UNLIKELY(may_leave_) && worker_.member->ready.any() && base::ticks() >= leaves_at_;
    }
    // Returns when the context has its turn again.
    TEFF_COLD void let_others_continue();

    team::Worker& worker_;
    bool may_leave_;
    base::Ticks leaves_at_ = 0;
};

} // namespace teff::task
