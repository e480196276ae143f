// SPDX-License-Identifier: Apache-2.0
#include "loop/iterations.h"

#include <gtest/gtest.h>

#include <climits>

namespace teff::loop {
namespace {

TEST(Iterations, CountsSignedLoopsAsTheyRun) {
    for (long start = -6; start <= 6; ++start)
        for (long end = -6; end <= 6; ++end)
            for (long step : {-5l, -2l, -1l, 1l, 2l, 5l}) {
                std::uint64_t count = 0;
                const Iterations iterations = Iterations::of(start, end, step);
                for (long i = start; step > 0 ? i < end : i > end; i += step)
                    ASSERT_EQ(static_cast<long>(iterations.value(count++)), i);
                ASSERT_EQ(iterations.count, count) << start << " " << end << " " << step;
            }
}

TEST(Iterations, CountsUnsignedLoopsAsTheyRun) {
    using Ull = unsigned long long;
    for (Ull start = 0; start <= 12; ++start)
        for (Ull end = 0; end <= 12; ++end)
            for (Ull step : {1ull, 2ull, 5ull}) {
                const Ull up = start < end ? (end - start + step - 1) / step : 0;
                const Ull down = start > end ? (start - end + step - 1) / step : 0;
                ASSERT_EQ(Iterations::of(true, start, end, step).count, up);
                ASSERT_EQ(Iterations::of(false, start, end, 0 - step).count, down);
            }
}

TEST(Iterations, WholeRangeOfTheType) {
    EXPECT_EQ(Iterations::of(LONG_MIN, LONG_MAX, 1l).count, ULONG_MAX);
    EXPECT_EQ(Iterations::of(LONG_MAX, LONG_MIN, -1l).count, ULONG_MAX);
    EXPECT_EQ(Iterations::of(LONG_MAX, LONG_MIN, LONG_MIN).count, 2u);
    EXPECT_EQ(Iterations::of(true, 0, ULLONG_MAX, 1).count, ULLONG_MAX);
    EXPECT_EQ(Iterations::of(false, ULLONG_MAX, 0, ULLONG_MAX).count, ULLONG_MAX);
}

TEST(Iterations, BoundOfTheLastChunkDoesNotPassTheLimit) {
    const Iterations iterations = Iterations::of(0l, LONG_MAX, 2l);
    EXPECT_EQ(static_cast<long>(iterations.bound(iterations.count)), LONG_MAX);
    EXPECT_EQ(static_cast<long>(iterations.bound(10)), 20);
}

TEST(Iterations, NoStepNoIterations) {
    EXPECT_EQ(Iterations::of(0l, 10l, 0l).count, 0u);
    EXPECT_EQ(Iterations::of(true, 0, 10, 0).count, 0u);
    EXPECT_EQ(Iterations::of(false, 10, 0, 0).count, 0u);
}

TEST(Iterations, CountsLoopsWithInclusiveBoundsAsTheyRun) {
    for (long low = -6; low <= 6; ++low)
        for (long up = -6; up <= 6; ++up)
            for (long step : {-5l, -2l, -1l, 1l, 2l, 5l}) {
                std::uint64_t count = 0;
                for (long i = low; step > 0 ? i <= up : i >= up; i += step)
                    ++count;
                ASSERT_EQ(Iterations::count_to_inclusive(low, up, step), count) << low << " " << up << " " << step;
                const auto narrow_low = static_cast<int>(low), narrow_up = static_cast<int>(up);
                ASSERT_EQ(Iterations::count_to_inclusive(narrow_low, narrow_up, step), count);
            }
    EXPECT_EQ(Iterations::count_to_inclusive(0l, 10l, 0), 0u);
    EXPECT_EQ(Iterations::count_to_inclusive(1l, LONG_MAX, 1), static_cast<std::uint64_t>(LONG_MAX));
    EXPECT_EQ(Iterations::count_to_inclusive(UINT_MAX, 0u, -1), 1ull << 32);
    EXPECT_EQ(Iterations::count_to_inclusive(LONG_MAX, LONG_MIN, LONG_MIN), 2u);
}

} // namespace
} // namespace teff::loop
