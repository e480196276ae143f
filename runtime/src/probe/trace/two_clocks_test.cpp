// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/two_clocks.h"

#include <gtest/gtest.h>

namespace teff::probe::trace {
namespace {

TEST(TwoClocks, TellTicksByTheLineThroughTwoInstants) {
    const BothClocks from{1'000, 500}, until{5'000, 1'500};
    const std::uint64_t ns[] = {0, 500, 750, 1'500, 9'000};
    const base::Ticks ticks[] = {1'000, 1'000, 2'000, 5'000, 5'000};
    for (int i = 0; i < 5; ++i)
        EXPECT_EQ(ticks_at(ns[i], from, until), ticks[i]);
    EXPECT_EQ(ticks_at(700, until, from), 5'000u);
    EXPECT_EQ(ticks_at(500, from, from), 1'000u);
}

} // namespace
} // namespace teff::probe::trace
