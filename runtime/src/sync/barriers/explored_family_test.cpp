// SPDX-License-Identifier: Apache-2.0
//
// Explores each barrier that TEFF_BARRIER offers, a mixture of their phases, and mutants of these
// barriers.
#include <gtest/gtest.h>

#include "sync/barriers/explored_rounds_test.h"
#include "sync/barriers/family.h"

namespace teff::sync::barriers {
namespace {

template <class Barrier> struct ExploredBarrier : testing::Test {};

using A = explore::Atomics;
using Family = testing::Types<Central<A>, Combining<A>>;
TYPED_TEST_SUITE(ExploredBarrier, Family);
TYPED_TEST(ExploredBarrier, HoldsEachRoundTogether) { expect_right<TypeParam>(TypeParam::kName); }

TEST(ExploredBarriers, AnyGatheringGoesWithAnyRelease) {
    expect_right<TwoPhase<CombiningGather<A>, CentralRelease<A>>>("combining, then central");
}

TEST(ExploredBarriers, EachMutantIsFound) {
    Mutants mutants;
    expect_common_mutants_found(mutants, []<class Atomics>(auto visit) { for_each_offered<Atomics>(visit); });
    mutants.expect_found<Central<RelaxedArrivals>>("central", "arrivals do not chain");
    mutants.expect_found<Combining<RelaxedArrivals>>("combining", "arrivals do not chain");
    mutants.expect_found<Central<TornArrivals>>("central", "arrivals are torn");
    mutants.expect_found<Combining<TornArrivals>>("combining", "arrivals are torn", {3, 3});

    mutants.expect_found<Unreleased<CentralGather<A>>>("central", "slaves are not held");
    mutants.expect_found<Unreleased<CombiningGather<A>>>("combining", "slaves are not held");
}

} // namespace
} // namespace teff::sync::barriers
