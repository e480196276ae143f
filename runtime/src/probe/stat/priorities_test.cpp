// SPDX-License-Identifier: Apache-2.0
#include "probe/stat/priorities.h"

#include <gtest/gtest.h>

#include <memory>

namespace teff::probe::stat {

namespace {

TEST(Priorities, lengths_have_buckets_of_a_sixteenth) {
    EXPECT_EQ(bucket_of(0), 0u);
    EXPECT_EQ(bucket_of(63), 0u);
    EXPECT_EQ(bucket_of(64), 1u);
    EXPECT_EQ(bucket_of(16 * 64 - 1), 15u);
    EXPECT_EQ(bucket_of(16 * 64), 16u);
    EXPECT_EQ(bucket_of(31 * 64), 31u);
    EXPECT_EQ(bucket_of(32 * 64), 32u);
    EXPECT_EQ(bucket_of(34 * 64 - 1), 32u);
    EXPECT_EQ(bucket_of(34 * 64), 33u);
    EXPECT_EQ(bucket_of(~base::Ticks{0}), TEFF_STAT_BUCKETS - 1);
    for (base::Ticks length = 1; length < base::Ticks{1} << 40; length += length / 9 + 1)
        EXPECT_LE(bucket_of(length), bucket_of(length + length / 9 + 1)) << length;
}

TEST(Priorities, times_have_a_sum_and_a_longest) {
    teff_stat_times times{};
    for (const base::Ticks length : {3, 9, 4})
        add(times, length);
    EXPECT_EQ(times.count, 3u);
    EXPECT_EQ(times.sum, 16u);
    EXPECT_EQ(times.most, 9u);
}

TEST(Priorities, those_beyond_the_slots_count_in_the_last) {
    const auto priorities = std::make_unique<teff_stat_priorities>();
    for (std::int32_t priority = 20; priority < 20 + 2 * int{TEFF_STAT_PRIORITIES}; ++priority)
        ++slot_of(*priorities, priority).tasks;
    ++slot_of(*priorities, 21).tasks;
    EXPECT_EQ(priorities->of[0].priority, 20);
    EXPECT_EQ(priorities->of[0].tasks, 1u);
    EXPECT_EQ(priorities->of[1].tasks, 2u);
    EXPECT_EQ(priorities->of[TEFF_STAT_PRIORITIES - 1].priority, 27);
    EXPECT_EQ(priorities->of[TEFF_STAT_PRIORITIES - 1].tasks, 1u + TEFF_STAT_PRIORITIES);
}

} // namespace

} // namespace teff::probe::stat
