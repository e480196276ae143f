// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/window.h"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "probe/probes.h"

namespace teff::probe::trace {
namespace {

constexpr std::uint64_t kHour_ms = 3'600'000;
constexpr std::uint64_t kSecond_ns = 1'000'000'000;

class WindowTest : public testing::Test {
  protected:
    WindowTest() { window::reset(); }
    ~WindowTest() override { window::reset(); }
};

TEST_F(WindowTest, ARecordingIsOneWindow) {
    window::plan(base::monotonic_ns(), {.delay_ms = 0, .duration_ms = 0});
    EXPECT_TRUE(window::is_on());
    EXPECT_EQ(window::number(), 0u);
    EXPECT_FALSE(window::may_move());
    EXPECT_FALSE(window::try_begin());
    EXPECT_FALSE(window::over_since());
}

TEST_F(WindowTest, WindowsAreNumbered) {
    EXPECT_TRUE(window::try_end());
    EXPECT_FALSE(window::try_end());
    EXPECT_FALSE(window::is_on());
    EXPECT_EQ(window::number(), 0u);
    EXPECT_TRUE(window::may_move());
    EXPECT_TRUE(window::try_begin());
    EXPECT_TRUE(window::is_on());
    EXPECT_EQ(window::number(), 1u);
    EXPECT_TRUE(window::try_end());
    EXPECT_TRUE(window::try_begin());
    EXPECT_EQ(window::number(), 2u);
}

TEST_F(WindowTest, NoneBeginsOnceItWasEndedForGood) {
    window::end_for_good();
    EXPECT_TRUE(window::is_on()); // until it is ended
    EXPECT_TRUE(window::try_end());
    EXPECT_FALSE(window::try_begin());
    EXPECT_FALSE(window::is_on());
    EXPECT_EQ(window::number(), 0u);
}

TEST_F(WindowTest, ADelayIsOverWhenTheClockSaysSo) {
    const std::uint64_t now = base::monotonic_ns();
    window::plan(now, {.delay_ms = kHour_ms, .duration_ms = 0});
    EXPECT_FALSE(window::is_on());
    EXPECT_TRUE(window::may_move());
    EXPECT_FALSE(window::is_delay_over());
    window::plan(now - kSecond_ns, {.delay_ms = 1, .duration_ms = 0});
    EXPECT_TRUE(window::is_delay_over());
    EXPECT_TRUE(window::try_begin());
    EXPECT_FALSE(window::is_delay_over());
    EXPECT_EQ(window::number(), 1u);
}

TEST_F(WindowTest, TheProgramMayEndTheDelay) {
    window::plan(base::monotonic_ns(), {.delay_ms = kHour_ms, .duration_ms = 0});
    EXPECT_TRUE(window::try_begin());
    EXPECT_TRUE(window::is_on());
}

TEST_F(WindowTest, ADurationCountsFromTheBeginning) {
    window::plan(base::monotonic_ns() - kSecond_ns, {.delay_ms = 0, .duration_ms = 1});
    const auto late = window::over_since();
    ASSERT_TRUE(late);
    EXPECT_GE(*late, kSecond_ns / 2);
    EXPECT_TRUE(window::try_end());
    EXPECT_FALSE(window::over_since());
    EXPECT_TRUE(window::try_begin()); // by the program: without a duration
    EXPECT_FALSE(window::over_since());
    window::plan(base::monotonic_ns() - kSecond_ns, {.delay_ms = 1, .duration_ms = kHour_ms});
    EXPECT_TRUE(window::try_begin());
    EXPECT_FALSE(window::over_since()); // it has begun just now
}

TEST_F(WindowTest, RegionsBeginAndEndWindows) {
    EXPECT_FALSE(window::try_begin_by_region());
    EXPECT_FALSE(window::try_end_by_region());
    window::plan(base::monotonic_ns(), {.every = 10});
    EXPECT_TRUE(window::may_move());
    EXPECT_FALSE(window::is_on());
    EXPECT_TRUE(window::is_by_region());
    EXPECT_EQ(window::every(), 10u);
    EXPECT_TRUE(window::try_begin_by_region());
    EXPECT_FALSE(window::try_begin_by_region());
    EXPECT_TRUE(window::is_on());
    EXPECT_EQ(window::number(), 1u);
    EXPECT_TRUE(window::try_end_by_region());
    EXPECT_FALSE(window::try_end_by_region());
    EXPECT_TRUE(window::try_begin_by_region());
    EXPECT_EQ(window::number(), 2u);
}

TEST_F(WindowTest, TheProgramSwitchesRegionsOffAndOn) {
    window::plan(base::monotonic_ns(), {.every = 2});
    EXPECT_FALSE(window::try_end()); // no window was on, but none may begin now
    EXPECT_FALSE(window::is_by_region());
    EXPECT_FALSE(window::try_begin_by_region());
    EXPECT_TRUE(window::try_begin());
    EXPECT_FALSE(window::is_on());
    EXPECT_FALSE(window::try_begin());
    EXPECT_TRUE(window::try_begin_by_region());
    EXPECT_TRUE(window::try_end());
    EXPECT_FALSE(window::is_on());
    EXPECT_FALSE(window::try_begin_by_region());
    window::end_for_good();
    EXPECT_FALSE(window::try_begin());
    EXPECT_FALSE(window::try_begin_by_region());
}

TEST_F(WindowTest, AllRegionsAreOnlyEveryOne) {
    window::plan(base::monotonic_ns(), {.every = 1});
    EXPECT_TRUE(window::is_on());
    EXPECT_EQ(window::every(), 0u);
    EXPECT_FALSE(window::may_move());
}

TEST_F(WindowTest, ADurationGoesOnBetweenRegions) {
    window::plan(base::monotonic_ns() - kSecond_ns, {.duration_ms = 1, .every = 2});
    EXPECT_TRUE(window::try_begin_by_region());
    EXPECT_TRUE(window::try_end_by_region());
    EXPECT_TRUE(window::over_since());
    EXPECT_FALSE(window::try_end());
    EXPECT_FALSE(window::over_since());
    EXPECT_FALSE(window::try_begin_by_region());
    window::plan(base::monotonic_ns(), {.delay_ms = kHour_ms, .every = 2});
    EXPECT_FALSE(window::is_by_region());
    EXPECT_TRUE(window::try_begin());
    EXPECT_TRUE(window::is_by_region());
}

// [window-1]
TEST_F(WindowTest, NoWorkerKeepsItsSinkBeyondTheEnd) {
    constexpr int kWorkers = 3, kRounds = 2000;
    std::vector<Sinks> sinks(kWorkers);
    std::atomic<bool> goes_on{true};
    std::vector<std::thread> workers;
    for (Sinks& own : sinks)
        workers.emplace_back([&own, &goes_on] {
            while (goes_on.load(std::memory_order_relaxed)) {
                if (!window::is_on() || (own & kTrace) != 0) continue;
                own.add(kTrace);
                if (!window::is_on()) own.remove(kTrace);
            }
        });
    for (int round = 0; round < kRounds; ++round) {
        (void)window::try_begin();
        (void)window::try_end();
        for (Sinks& of_worker : sinks)
            of_worker.remove(kTrace);
    }
    goes_on.store(false, std::memory_order_relaxed);
    for (std::thread& worker : workers)
        worker.join();
    for (const Sinks& of_worker : sinks)
        EXPECT_EQ(of_worker & kTrace, 0);
}

} // namespace
} // namespace teff::probe::trace
