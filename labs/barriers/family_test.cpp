// SPDX-License-Identifier: Apache-2.0
//
// Tests each barrier of labs/ on real threads.
#include "barriers/family.h"

#include <gtest/gtest.h>

#include "barriers/double_flags.h"
#include "sync/barriers/on_threads_test.h"

namespace teff::sync::barriers {
namespace {

using A = Yielding;
using Studied = testing::Types<SharedMasterSlave<A>, ChainPolarity<A>, ChainLutPolarity<A>, Disseminating<A>,
                               McsTree<A>, Hyper<A>, Distributed<A>, TwoPhase<CombiningGather<A>, ChainRelease<A>>,
                               TwoPhase<DoubleFlagsGather<A>, DoubleFlagsRelease<A>>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Studied, BarrierOnThreads, Studied);

TEST(BarrierFamily, AThousandThreadsMeet) { EXPECT_EQ(TeamOnThreads<Disseminating<A>>({1000, 8}, 3).run(), 0u); }

TEST(BarrierFamily, SaysWhoHasADuty) {
    unsigned all = 0;
    for_each_studied<A>([&]<class Barrier>() {
        ++all;
        EXPECT_NE(Barrier::kDuties, Duties::none); // else programs could be offered it
    });
    EXPECT_EQ(all, 7u);
}

} // namespace
} // namespace teff::sync::barriers
