// SPDX-License-Identifier: Apache-2.0
#include "loop/doacross_nest.h"

#include <cstdint>
#include <gtest/gtest.h>

namespace teff::loop {
namespace {

using Number = std::optional<std::uint64_t>;

TEST(NestLoop, IterationsAreNumberedFromTheLowerBound) {
    const NestLoop up{-3, 6, 4}, down{10, 1, -3};
    EXPECT_EQ(up.count(), 3u);
    EXPECT_EQ(up.number_of(-3), Number(0));
    EXPECT_EQ(up.number_of(5), Number(2));
    EXPECT_EQ(up.number_of(9), Number());
    EXPECT_EQ(up.number_of(-7), Number());
    EXPECT_EQ(down.count(), 4u);
    EXPECT_EQ(down.number_of(10), Number(0));
    EXPECT_EQ(down.number_of(1), Number(3));
    EXPECT_EQ(down.number_of(13), Number());
}

TEST(NestLoop, ALoopMayHaveNoIterations) {
    EXPECT_EQ((NestLoop{1, 0, 1}.count()), 0u);
    EXPECT_EQ((NestLoop{0, 1, -1}.count()), 0u);
    EXPECT_EQ((NestLoop{1, 0, 1}.number_of(0)), Number());
}

TEST(NestLoop, BoundsMayBeTheLimitsOfTheType) {
    const NestLoop all{INT64_MIN, INT64_MAX - 1, 1};
    EXPECT_EQ(all.count(), UINT64_MAX);
    EXPECT_EQ(all.number_of(INT64_MAX - 1), Number(UINT64_MAX - 1));
    const NestLoop back{INT64_MAX, INT64_MIN, INT64_MIN};
    EXPECT_EQ(back.count(), 2u);
    EXPECT_EQ(back.number_of(-1), Number(1));
}

} // namespace
} // namespace teff::loop
