// SPDX-License-Identifier: Apache-2.0
//
// Tests each barrier that TEFF_BARRIER offers on real threads.
#include "sync/barriers/family.h"

#include <gtest/gtest.h>
#include <iterator>

#include "icv/icv.h"
#include "sync/barriers/on_threads_test.h"

namespace teff::sync::barriers {
namespace {

using A = Yielding;
using Offered = testing::Types<Central<A>, Combining<A>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Offered, BarrierOnThreads, Offered);

TEST(BarrierFamily, AThousandThreadsMeet) {
    EXPECT_EQ(TeamOnThreads<Central<A>>({1000, 8}, 3).run(), 0u);
    EXPECT_EQ(TeamOnThreads<Combining<A>>({1000, 8}, 3).run(), 0u);
}

TEST(BarrierFamily, WhatProgramsAreOfferedHasNoDutiesAndTheNamesOfTheKnob) {
    unsigned number = 0;
    for_each_offered<A>([&]<class Barrier>() {
        EXPECT_EQ(Barrier::kDuties, Duties::none);
        EXPECT_EQ(Barrier::kName, icv::kBarriers[number++]);
    });
    EXPECT_EQ(number, std::size(icv::kBarriers));
}

} // namespace
} // namespace teff::sync::barriers
