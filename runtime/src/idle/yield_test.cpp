// SPDX-License-Identifier: Apache-2.0
#include "idle/yield.h"

#include <gtest/gtest.h>

namespace teff::idle {
namespace {

constexpr base::Ticks kSlice = 8'000'000, kStart = 1'000'000'000;

// Simulates a process that shares its processor with an unrelated thread, which uses a time slice
// whenever the process yields. Returns the time that the process has lost.
base::Ticks lost_beside_a_stranger(YieldPause& pause, base::Ticks from, base::Ticks to) {
    base::Ticks lost = 0;
    for (base::Ticks now = from; now < to;) {
        if (!pause.is_over(now)) {
            now += 1'000;
            continue;
        }
        pause.note(now, now + kSlice);
        now += kSlice;
        lost += kSlice;
    }
    return lost;
}

TEST(YieldPause, QuickYieldsPay) {
    YieldPause pause;
    for (base::Ticks now = kStart; now < kStart + 1'000'000; now += 2'000) {
        pause.note(now, now + 2'000);
        ASSERT_TRUE(pause.is_over(now + 2'000));
    }
}

// The yield was long, but because of a teammate that has given way just now.
TEST(YieldPause, ATeammateThatWorksLongIsNoStranger) {
    YieldPause pause;
    pause.note(kStart + kSlice - 1'000, kStart + kSlice);
    EXPECT_TRUE(pause.is_over(kStart + kSlice));
}

TEST(YieldPause, AnotherProcessorsClockMayBeAhead) {
    YieldPause pause;
    pause.note(kStart + 1, kStart);
    EXPECT_TRUE(pause.is_over(kStart));
}

TEST(YieldPause, OneLongYieldStopsThemForAMillisecondAtMost) {
    YieldPause pause;
    pause.note(kStart, kStart + kSlice);
    EXPECT_FALSE(pause.is_over(kStart + kSlice));
    EXPECT_TRUE(pause.is_over(kStart + kSlice + YieldPause::first_pause()));
}

TEST(YieldPause, AStrangerThatStaysGetsAboutOnePartInAHundred) {
    YieldPause pause;
    const base::Ticks second = 2'500'000'000;
    const base::Ticks warm_up = lost_beside_a_stranger(pause, kStart, kStart + second);
    EXPECT_LE(warm_up, second / 20);
    const base::Ticks later = lost_beside_a_stranger(pause, kStart + second, kStart + 11 * second);
    EXPECT_LE(later, 10 * second / 90);
}

TEST(YieldPause, AStrangerOfLongAgoIsForgotten) {
    YieldPause pause;
    const base::Ticks second = 2'500'000'000;
    (void)lost_beside_a_stranger(pause, kStart, kStart + second);
    const base::Ticks later = kStart + 10 * second;
    pause.note(later, later + kSlice);
    EXPECT_TRUE(pause.is_over(later + kSlice + YieldPause::first_pause()));
}

} // namespace
} // namespace teff::idle
