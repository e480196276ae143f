// SPDX-License-Identifier: Apache-2.0
#include "device/clock_comparison.h"

#include <gtest/gtest.h>

namespace teff::device {
namespace {

constexpr std::uint64_t kPeriod = ClockComparison::kPeriod_ns;

TEST(ClockComparison, IsMadeOftenAtFirst) {
    ClockComparison comparison;
    EXPECT_EQ(comparison.due(5), ClockComparison::kAtFirst);
    EXPECT_EQ(comparison.due(5), 0u);
    EXPECT_EQ(comparison.due(4 + kPeriod), 0u);
}

TEST(ClockComparison, IsMadeAFewTimesInEachPeriodThatHasConstructs) {
    ClockComparison comparison;
    (void)comparison.due(5);
    EXPECT_EQ(comparison.due(5 + kPeriod), ClockComparison::kLater);
    EXPECT_EQ(comparison.due(4 + 2 * kPeriod), 0u);
    EXPECT_EQ(comparison.due(9 * kPeriod), ClockComparison::kLater);
    EXPECT_EQ(comparison.due(9 * kPeriod + 1), 0u);
}

} // namespace
} // namespace teff::device
