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

// A task of mean 1,000 and deviation 100 may run for up to 1,200. If it has run for longer, nothing
// is known.
TEST(RunTimes, GiveTheResultsThatTheToolsExpect) {
#define TEFF_AFTER_TASK(mean, deviation, ran, mean_after, deviation_after)                                             \
    EXPECT_EQ(after_task({mean, deviation}, ran), (RunTime{mean_after, deviation_after}));
#define TEFF_PREEMPTING_PAYS(mean, deviation, age, price, pays)                                                        \
    EXPECT_EQ(preempting_pays({mean, deviation}, age, price), pays != 0) << age << " of " << mean << ", " << price;
#include "task/run_times_cases.inc"
#undef TEFF_AFTER_TASK
#undef TEFF_PREEMPTING_PAYS
}

TEST(RunTimes, EachFunctionHasItsOwn) {
    static RunTimes times;
    static const char functions[64] = {};
    const void* const first = functions;
    const void* const second = functions + 32;
    EXPECT_EQ(times.of(first), RunTime{});
    times.add(first, 800);
    EXPECT_EQ(times.of(first).mean, 800u);
    if (times.of(second).mean == 0) times.add(second, 50); // otherwise both functions share a slot
    EXPECT_EQ(times.of(second).mean, 50u);
}

} // namespace
} // namespace teff::task
