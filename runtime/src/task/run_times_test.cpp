// SPDX-License-Identifier: Apache-2.0
#include "task/run_times.h"

#include <gtest/gtest.h>

namespace teff::task {
namespace {

RunTime after_many(base::Ticks ran, RunTime time = {}) {
    for (int i = 0; i < 64; ++i)
        time = after_task(time, ran);
    return time;
}

TEST(RunTimes, TheEstimateFollowsTheTasks) {
    EXPECT_EQ(after_task({}, 1000), (RunTime{1000, 500}));
    const RunTime steady = after_many(1000);
    EXPECT_EQ(steady.mean, 1000u);
    EXPECT_EQ(steady.deviation, 0u);
    const RunTime later = after_many(5000, steady);
    EXPECT_NEAR(later.mean, 5000, 10);
}

TEST(RunTimes, LongTasksSaturate) {
    const RunTime time = after_many(~base::Ticks{0});
    EXPECT_GT(time.mean, UINT32_MAX / 10);
    EXPECT_LE(time.mean, UINT32_MAX / 8);
    EXPECT_NE(after_task({}, 0).mean, 0u); // 0 would mean that nothing is known
}

TEST(RunTimes, PreemptingPaysForALongRest) {
    const RunTime known = {.mean = 1000, .deviation = 100};
    EXPECT_TRUE(preempting_pays(known, 0, 500));
    EXPECT_TRUE(preempting_pays(known, 700, 500)); // the task may run for up to 1,200
    EXPECT_FALSE(preempting_pays(known, 701, 500));
    EXPECT_FALSE(preempting_pays(known, 1200, 500));
    EXPECT_TRUE(preempting_pays(known, 1201, 500)); // longer than such tasks run, so nothing is known
    EXPECT_FALSE(preempting_pays(known, 0, 5000));
    EXPECT_TRUE(preempting_pays({}, 0, 5000));
}

TEST(RunTimes, EachFunctionHasItsOwn) {
    static RunTimes times;
    void (*const first)(void*) = [](void*) {};
    void (*const second)(void*) = [](void* at) { *static_cast<int*>(at) = 1; };
    EXPECT_EQ(times.of(first), RunTime{});
    times.add(first, 800);
    EXPECT_EQ(times.of(first).mean, 800u);
    if (times.of(second).mean == 0) times.add(second, 50); // otherwise both functions share a slot
    EXPECT_EQ(times.of(second).mean, 50u);
}

} // namespace
} // namespace teff::task
