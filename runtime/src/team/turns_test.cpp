// SPDX-License-Identifier: Apache-2.0
#include "team/turns.h"

#include <gtest/gtest.h>

namespace teff::team {
namespace {

struct Clock {
    static inline base::Ticks now = 0;
    static base::Ticks ticks() { return now; }
};

using TestTurns = TurnsOver<Clock>;
constexpr unsigned kWindow = TestTurns::kWindow;

class TurnsTest : public testing::Test {
  protected:
    TurnsTest() {
        Clock::now = 1'000'000'000;
        turn(kWindow, TestTurns::hasty()); // the first window counts as a long one
    }

    // Returns the number of windows that ended.
    unsigned turn(unsigned times, base::Ticks apart) {
        unsigned windows = 0;
        for (unsigned i = 0; i < times; ++i) {
            Clock::now += apart;
            windows += turns.turned() ? 1 : 0;
        }
        return windows;
    }

    TestTurns turns;
};

TEST_F(TurnsTest, AreCountedByWindows) {
    EXPECT_EQ(turn(kWindow - 1, TestTurns::hasty()), 0u);
    EXPECT_EQ(turns.counts().turns, kWindow);
    EXPECT_EQ(turn(1, TestTurns::hasty()), 1u);
    EXPECT_EQ(turns.counts().turns, 2 * kWindow);
    EXPECT_EQ(turns.counts().hasty_turns, 0u);
}

TEST_F(TurnsTest, AreHastyWhereTheyFollowEachOtherClosely) {
    turn(3 * kWindow, TestTurns::hasty() - 1);
    turn(2 * kWindow, TestTurns::hasty());
    EXPECT_EQ(turns.counts().turns, 6 * kWindow);
    EXPECT_EQ(turns.counts().hasty_turns, 3 * kWindow);
    EXPECT_EQ(turns.counts().hasty_ticks, 3 * kWindow * (TestTurns::hasty() - 1));
}

// The time before the first window does not matter.
TEST(Turns, TheFirstWindowIsNeverHasty) {
    Clock::now = 1'000'000'000;
    TestTurns turns;
    for (unsigned i = 0; i < kWindow; ++i)
        (void)turns.turned();
    EXPECT_EQ(turns.counts().turns, kWindow);
    EXPECT_EQ(turns.counts().hasty_turns, 0u);
}

} // namespace
} // namespace teff::team
