// SPDX-License-Identifier: Apache-2.0
#include "abi/current.h"

#include <gtest/gtest.h>

namespace teff::abi {
namespace {

using icv::ScheduleKind;

TEST(Current, AThreadThatHasNotMetOpenMPIsAnInitialOneAndStaysUnknown) {
    EXPECT_EQ(current_place().size, 1u);
    EXPECT_EQ(current_place().level, 0u);
    ASSERT_TRUE(ancestor_place(0).has_value());
    EXPECT_EQ(ancestor_place(0)->number, 0u);
    EXPECT_FALSE(ancestor_place(1).has_value());
    EXPECT_FALSE(ancestor_place(-1).has_value());
    EXPECT_EQ(&current_icvs(), &icv::initial());
    EXPECT_EQ(team::current_worker_if_any(), nullptr) << "a query must not create anything";
}

TEST(Current, CountsFitIntoInt) {
    EXPECT_EQ(to_int(7), 7);
    EXPECT_EQ(to_int(icv::kNoThreadLimit), INT_MAX);
}

TEST(Schedule, OnlyTheFourKindsAreAcceptedWithOrWithoutTheModifier) {
    for (unsigned kind = 1; kind <= 4; ++kind) {
        EXPECT_TRUE(is_schedule(kind));
        EXPECT_TRUE(is_schedule(kind | kMonotonic));
    }
    EXPECT_FALSE(is_schedule(0));
    EXPECT_FALSE(is_schedule(kMonotonic));
    EXPECT_FALSE(is_schedule(5));
}

TEST(Schedule, AChunkBelowOneAsksForTheKindsDefault) {
    icv::RunSchedule schedule{};
    set_schedule(schedule, 1, -3);
    EXPECT_EQ(schedule, (icv::RunSchedule{.kind = ScheduleKind::static_, .monotonic = false, .chunk = 0}));
    set_schedule(schedule, 2 | kMonotonic, 0);
    EXPECT_EQ(schedule, (icv::RunSchedule{.kind = ScheduleKind::dynamic, .monotonic = true, .chunk = 1}));
    set_schedule(schedule, 3, 9);
    EXPECT_EQ(schedule, (icv::RunSchedule{.kind = ScheduleKind::guided, .monotonic = false, .chunk = 9}));
    set_schedule(schedule, 4, 5);
    EXPECT_EQ(schedule, (icv::RunSchedule{.kind = ScheduleKind::auto_, .monotonic = false, .chunk = 9}))
        << "auto has no chunk: the last one stays";
}

} // namespace
} // namespace teff::abi
