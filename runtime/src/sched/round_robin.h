// SPDX-License-Identifier: Apache-2.0
//
// RoundRobin: work stealing in which a thief asks the members one after the other. It starts behind
// the last member that had a task for it, instead of at a random member.
//
// This policy is a baseline, as in MIR, that shows what random victims gain. It stands beside work
// stealing (policy.h), and differs from the default only in the choice of victims.
#pragma once

#include "sched/scheduler.h"

namespace teff::sched {

// A lane's victim_seed holds the number of the last victim. If its value is not the number of a
// member, as is usual at first, the thief starts behind itself.
template <class Atomics> struct NextVictims {
    static unsigned first(LaneOver<Atomics>& thief, unsigned count) {
        const unsigned last = thief.victim_seed < count ? thief.victim_seed : thief.number;
        return last + 1 < count ? last + 1 : 0;
    }
    static constexpr bool kRemembered = true;
    static void was(LaneOver<Atomics>& thief, unsigned victim) { thief.victim_seed = victim; }
};

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
        return scheduler_.template take_of_lanes<NextVictims<Atomics>>(lane, waiter, look, sought);
    }
    bool looks_drained() const override { return scheduler_.lanes_look_drained(); }
    void forget_other_threads(Lane&) override {} // the scheduler does so for its lanes

  private:
    Scheduler& scheduler_;
};

using RoundRobin = RoundRobinOver<base::RealAtomics>;

} // namespace teff::sched
