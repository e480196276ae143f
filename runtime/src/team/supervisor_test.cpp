// SPDX-License-Identifier: Apache-2.0
#include "team/supervisor.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace teff::team {
namespace {

struct Clock {
    static inline base::Ticks now = 0;
    static base::Ticks ticks() { return now; }
    static void cpu_relax() { now += 40; }
};

using Supervisor = SupervisorOver<Clock>;
constexpr base::Ticks kTurn = 250; // what one costs

class SupervisorTest : public testing::Test {
  protected:
    SupervisorTest() { Clock::now = 1'000'000; }

    // Turns with so much work after each, until it holds back; and how many.
    unsigned turns_until_it_holds_back(base::Ticks work, unsigned most = 1'000'000) {
        unsigned turns = 0;
        for (; turns < most && !supervisor.holds_back(); ++turns)
            turn(work);
        return turns;
    }

    void turn(base::Ticks work) {
        Clock::now += kTurn + work;
        (void)supervisor.turned();
    }

    // A task that yields after so much work each time. Returns whether it has had its turn.
    bool yields(base::Ticks work) {
        Clock::now += work;
        if (supervisor.holds_back() && supervisor.leaves_out()) return false;
        turn(0);
        return true;
    }

    // A wait whose event comes after so long. Returns whether it was over in place.
    bool waits(base::Ticks length) {
        const base::Ticks over = Clock::now + length;
        if (supervisor.holds_back() && supervisor.ends_in_place([&] { return Clock::now >= over; })) return true;
        turn(0);
        return false;
    }

    // How many tries there are until it stops to hold back.
    template <class Try> unsigned tries_in_stretch(Try&& one) {
        unsigned tries = 0;
        for (; supervisor.holds_back() && tries < 1'000'000; ++tries)
            one();
        return tries;
    }

    Supervisor supervisor;
};

constexpr unsigned kWindow = Supervisor::kWindow;

TEST_F(SupervisorTest, TurnsWithWorkBetweenThemChangeNothing) {
    EXPECT_EQ(turns_until_it_holds_back(Supervisor::kHasty_ticks, 100 * kWindow), 100 * kWindow);
    EXPECT_EQ(supervisor.counts().turns, 100 * kWindow);
    EXPECT_EQ(supervisor.counts().hasty_turns, 0u);
    EXPECT_EQ(supervisor.counts().in_place, 0u);
}

TEST_F(SupervisorTest, ItHoldsBackWhenTurnsFollowEachOtherClosely) {
    EXPECT_EQ(turns_until_it_holds_back(100), 2 * kWindow) << "the first window begins it knows not when";
    EXPECT_EQ(supervisor.counts().hasty_turns, kWindow);
    EXPECT_EQ(supervisor.counts().hasty_ticks, kWindow * (kTurn + 100));
}

TEST_F(SupervisorTest, ALongPauseIsNoHaste) {
    for (unsigned windows = 0; windows < 10; ++windows) {
        Clock::now += kWindow * Supervisor::kHasty_ticks;
        for (unsigned turns = 0; turns < kWindow; ++turns)
            turn(0);
    }
    EXPECT_FALSE(supervisor.holds_back());
}

TEST_F(SupervisorTest, AYieldingTaskStillHasItsTurns) {
    turns_until_it_holds_back(100);
    unsigned in_a_row = 0, most = 0;
    for (unsigned i = 0; i < 10'000; ++i) {
        in_a_row = yields(100) ? 0 : in_a_row + 1;
        most = std::max(most, in_a_row);
    }
    EXPECT_EQ(most, Supervisor::kMostLeftOut);
    EXPECT_GT(supervisor.counts().in_place, 7'000u);
}

TEST_F(SupervisorTest, AYieldAfterLongWorkIsMade) {
    turns_until_it_holds_back(100);
    for (unsigned i = 0; i < 10; ++i)
        EXPECT_EQ(yields(Supervisor::kLongest + 1), i % 2 == 1) << "at most one after it is left out";
}

TEST_F(SupervisorTest, StretchesThatPayBecomeLonger) {
    turns_until_it_holds_back(100);
    unsigned before = tries_in_stretch([&] { yields(100); });
    for (unsigned stretch = Supervisor::kFirstStretch; stretch < Supervisor::kLongestStretch; stretch *= 2) {
        EXPECT_EQ(turns_until_it_holds_back(100), kWindow);
        const unsigned next = tries_in_stretch([&] { yields(100); });
        EXPECT_GT(next, before + before / 2);
        before = next;
    }
    turns_until_it_holds_back(100);
    EXPECT_LT(tries_in_stretch([&] { yields(100); }), before + before / 2) << "there is a longest";
}

TEST_F(SupervisorTest, TasksThatOnlyAskSoonHaveAllTheirTurns) {
    turns_until_it_holds_back(0);
    unsigned before = 0;
    for (unsigned pause = 1; pause <= Supervisor::kLongestPause; pause *= 2) {
        EXPECT_LT(tries_in_stretch([&] { yields(10); }), 2 * kWindow);
        const unsigned turns = turns_until_it_holds_back(0);
        EXPECT_EQ(turns, (pause + 1) * kWindow);
        EXPECT_GT(turns, before);
        before = turns;
    }
}

TEST_F(SupervisorTest, WaitsThatAreSoonOverAreOverInPlace) {
    turns_until_it_holds_back(0);
    for (unsigned i = 0; i < 2 * kWindow; ++i)
        EXPECT_TRUE(waits(Supervisor::kPatience / 2));
    EXPECT_EQ(supervisor.counts().in_place, 2 * kWindow);
    EXPECT_TRUE(supervisor.holds_back());
}

TEST_F(SupervisorTest, WaitsThatLastCostAMomentEachAndNotForLong) {
    turns_until_it_holds_back(0);
    const base::Ticks began = Clock::now;
    EXPECT_EQ(tries_in_stretch([&] { EXPECT_FALSE(waits(1'000'000)); }), kWindow);
    EXPECT_LE(Clock::now - began, kWindow * (Supervisor::kPatience + 40 + kTurn));
    EXPECT_EQ(turns_until_it_holds_back(0), 2 * kWindow - 1)
        << "one hasty window is passed over; the turn after the last try was the first of it";
}

TEST_F(SupervisorTest, AStretchWithoutTriesEnds) {
    turns_until_it_holds_back(0);
    unsigned turns = 0;
    for (; supervisor.holds_back(); ++turns)
        turn(0);
    EXPECT_EQ(turns, Supervisor::kFirstStretch * kWindow);
}

} // namespace
} // namespace teff::team
