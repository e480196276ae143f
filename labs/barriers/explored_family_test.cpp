// SPDX-License-Identifier: Apache-2.0
//
// Runs under the explorer each barrier of labs/, combinations of phases of different barriers, and
// mutants of the barriers.
#include <gtest/gtest.h>

#include "barriers/double_flags.h"
#include "barriers/family.h"
#include "sync/barriers/explored_rounds_test.h"

namespace teff::sync::barriers {
namespace {

template <class Barrier> struct ExploredBarrier : testing::Test {};

using A = explore::Atomics;
using Studied = testing::Types<SharedMasterSlave<A>, ChainPolarity<A>, ChainLutPolarity<A>, Disseminating<A>,
                               McsTree<A>, Hyper<A>, Distributed<A>>;
TYPED_TEST_SUITE(ExploredBarrier, Studied);
TYPED_TEST(ExploredBarrier, HoldsEachRoundTogether) { expect_right<TypeParam>(TypeParam::kName); }

TEST(ExploredBarriers, ArraysThatAreResetHoldToo) {
    expect_right<TwoPhase<DoubleFlagsGather<A>, DoubleFlagsRelease<A>>>("two arrays of flags");
}

TEST(ExploredBarriers, AnyGatheringGoesWithAnyRelease) {
    expect_right<TwoPhase<CentralGather<A>, ChainRelease<A>>>("central, then chain");
    expect_right<TwoPhase<SharedFlagsGather<A>, McsRelease<A>>>("flags, then tree of two");
}

// A relay reports its own entry before the members whose entry it passes on have entered.
template <class Gather> struct HastyRelay : Gather {
    using Gather::Gather;
    void collect(unsigned number, Round round) {
        if (number == 0) Gather::collect(number, round);
    }
};
// A relay passes a release on before it has been released itself.
template <class Release> struct HastyRelease : Release {
    using Release::Release;
    void await(unsigned number, Round round) {
        Release::pass_on(number, round);
        Release::await(number, round);
    }
};
// A member checks the whole last word, which is one interpretation of the paper.
template <class Atomics> class WholeLastWord {
  public:
    using Line = barriers::Line<Atomics>;
    static constexpr Duties kDuties = Duties::relays;
    static unsigned lines(const Shape& shape) { return shape.members; }
    WholeLastWord(Line* memory, const Shape& shape) : lines_(memory), last_(shape.members - 1) {}
    void wait(Round round) { await<Atomics>(lines_[1].words[0], entered(1, round)); }
    void release(Round round) { raise(lines_[last_].words[0], released(round)); }
    void slave_enter(unsigned number, Round round) {
        if (number != last_) await<Atomics>(lines_[number + 1].words[0], entered(number + 1, round));
        raise(lines_[number].words[0], entered(number, round));
        await<Atomics>(lines_[last_].words[0], released(round));
    }

  private:
    std::uint32_t entered(unsigned number, Round round) const {
        return polarity(round) | (number == last_ ? polarity(round - 1) << 1 : 0);
    }
    static std::uint32_t released(Round round) { return polarity(round) * 3; }
    Line* lines_;
    unsigned last_;
};
// The last step is left out.
template <class Atomics> class ShortDissemination {
  public:
    using Line = barriers::Line<Atomics>;
    static constexpr Duties kDuties = Duties::all;
    static unsigned lines(const Shape& shape) { return shape.members; }
    ShortDissemination(Line* memory, const Shape& shape) : lines_(memory), members_(shape.members) {}
    void wait(Round round) { slave_enter(0, round); }
    void release(Round) {}
    void slave_enter(unsigned number, Round round) {
        raise(lines_[(number + 1) % members_].words[0], round);
        await_round<Atomics>(lines_[number].words[0], round);
    }

  private:
    Line* lines_;
    unsigned members_;
};

TEST(ExploredBarriers, EachMutantIsFound) {
    Mutants mutants;
    expect_common_mutants_found(mutants, []<class Atomics>(auto visit) { for_each_studied<Atomics>(visit); });
    mutants.expect_found<Unreleased<SharedFlagsGather<A>>>("s-msb", "slaves are not held");
    mutants.expect_found<Unreleased<DoubleFlagsGather<A>>>("two arrays", "slaves are not held");
    mutants.expect_found<TwoPhase<DoubleFlagsGather<RelaxedStores>, DoubleFlagsRelease<RelaxedStores>>>(
        "two arrays", "stores hand nothing over");
    mutants.expect_found<TwoPhase<DoubleFlagsGather<RelaxedLoads>, DoubleFlagsRelease<RelaxedLoads>>>(
        "two arrays", "looks take nothing over");
    mutants.expect_found<TwoPhase<HastyRelay<ChainGather<A>>, ChainRelease<A>>>("cpb", "a relay does not wait");
    mutants.expect_found<TwoPhase<HastyRelay<McsGather<A>>, McsRelease<A>>>("mcs", "a relay does not wait", {6, 2});
    mutants.expect_found<TwoPhase<HastyRelay<HyperGather<A>>, HyperRelease<A>>>("hyper", "a relay does not wait",
                                                                                {6, 2});
    mutants.expect_found<TwoPhase<HastyRelay<DistributedGather<A>>, DistributedRelease<A>>>(
        "dist", "a relay does not wait", {4, 2});
    mutants.expect_found<TwoPhase<ChainGather<A>, HastyRelease<ChainRelease<A>>>>("cpb",
                                                                                  "a release is passed on early");
    mutants.expect_found<WholeLastWord<A>>("c-lutb", "the whole last word is looked at");
    mutants.expect_found<ShortDissemination<A>>("dissemination", "the last step is left out");
}

} // namespace
} // namespace teff::sync::barriers
