// SPDX-License-Identifier: Apache-2.0
//
// RoundRobin: work stealing in which a thief asks the members one after the other. It starts after
// the last member from which it stole, instead of at a random member.
//
// This policy is a baseline, as in MIR: the comparison with it shows how much random victims gain.
// It complements work stealing (kBesideDefault in policy.h), and differs from the default only in
// the choice of victims.
#pragma once

#include "sched/scheduler.h"

namespace teff::sched {

template <class Atomics> class RoundRobinOver final : public PolicyOver<Atomics> {
  public:
    using Lane = LaneOver<Atomics>;
    using Scheduler = SchedulerOver<Atomics>;

    // This is the policy of `scheduler`, which must outlive this object.
    explicit RoundRobinOver(Scheduler& scheduler)
        : PolicyOver<Atomics>(Stands::kBesideDefault), scheduler_(scheduler) {}

    void resize(unsigned) override {}
    [[nodiscard]] bool put(Lane& lane, Runnable* item) override { return scheduler_.put_of_lanes(lane, item); }
    void put_anywhere(Runnable* item) override { scheduler_.put_anywhere_of_lanes(item); }
    [[nodiscard]] Runnable* take(Lane& lane, const Waiter& waiter, Look look, Sought sought) override {
        auto& lanes = scheduler_.default_policy();
        if (sought == Sought::kRaised) return lanes.take_unrelated_raised(waiter, look);
        if (sought == Sought::kUnrelated) {
            if (Runnable* item = lanes.take_unrelated_unstolen(lane, waiter, look)) return item;
            return steal(lane, waiter, look);
        }
        if (Runnable* item = lanes.take_left(lane, waiter, look)) return item;
        if (Runnable* item = steal(lane, waiter, look)) return item;
        return look == Look::kBrief ? nullptr : lanes.take_unrelated_raised(waiter, look);
    }
    bool looks_drained() const override { return scheduler_.lanes_look_drained(); }
    void forget_other_threads(Lane&) override {} // nothing to do: the scheduler handles its lanes

  private:
    // As the default's steal (work_stealing.h), in another order. A lane's victim_seed holds the
    // number of the last victim. If its value is not the number of a member, as is usual at first,
    // the thief starts after itself.
    Runnable* steal(Lane& thief, const Waiter& waiter, Look look) {
        auto& lanes = scheduler_.default_policy();
        const bool raised = lanes.raised() > 0;
        const unsigned count = lanes.members();
        if (!raised)
            if (Runnable* item = lanes.take_shared(waiter, Look::kBrief)) return item;
        unsigned victim = thief.victim_seed < count ? thief.victim_seed : thief.number;
        for (unsigned i = 0; i < count; ++i) {
            if (++victim >= count) victim = 0;
            if (victim == thief.number) continue;
            if (Runnable* item = lanes.steal_of(victim, waiter, look, raised)) {
                thief.victim_seed = victim;
                return item;
            }
        }
        return lanes.take_shared(waiter, look);
    }

    Scheduler& scheduler_;
};

using RoundRobin = RoundRobinOver<base::RealAtomics>;

} // namespace teff::sched
