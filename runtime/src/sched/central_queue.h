// SPDX-License-Identifier: Apache-2.0
//
// CentralQueue: one queue for the whole team, under one lock. Tasks of higher priorities come
// first; within a priority, the oldest task comes first.
//
// This is the simplest policy. It is a baseline: the comparison with it shows how much work
// stealing gains. For a waiter that may run only its descendants, the search starts at the newest
// task, because descendants are mostly among the newest. For each candidate, the queue asks the
// waiter whether the task is its descendant.
#pragma once

#include <algorithm>

#include "sched/policy.h"
#include "sched/shared_queue.h"

namespace teff::sched {

template <class Atomics> class CentralQueueOver final : public PolicyOver<Atomics> {
  public:
    using Lane = LaneOver<Atomics>;

    explicit CentralQueueOver(PriorityQueueOver<Atomics>* queue)
        : PolicyOver<Atomics>(Stands::kInPlaceOfDefault), queue_(queue) {}

    void resize(unsigned) override {}
    [[nodiscard]] bool put(Lane&, Runnable* item) override { return queue_->put(item); }
    void put_anywhere(Runnable* item) override {
        if (!queue_->put(item)) overflow_.put(item);
    }

    [[nodiscard]] Runnable* take(Lane&, const Waiter& waiter, Look look, Sought) override {
        Runnable* item = waiter.constrained() ? nullptr : queue_->take_highest_if(waiter);
        // A thorough look also finds tasks behind a task that the waiter refuses.
        if (item == nullptr && (waiter.constrained() || look == Look::kThorough)) item = queue_->take_newest_if(waiter);
        return item != nullptr ? item : overflow_.take_if(waiter);
    }

    std::int32_t highest() const override { return std::max({queue_->highest(), overflow_.highest(), 0}); }
    bool looks_drained() const override {
        return queue_->highest() == PriorityQueueOver<Atomics>::kNothing && overflow_.looks_empty();
    }

    void forget_other_threads(Lane&) override {
        queue_->forget_other_threads();
        overflow_.forget_other_threads();
    }

  private:
    PriorityQueueOver<Atomics>* queue_;
    SharedQueueOver<Atomics> overflow_; // tasks of put_anywhere that did not fit into queue_
};

} // namespace teff::sched
