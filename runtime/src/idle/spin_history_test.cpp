// SPDX-License-Identifier: Apache-2.0
#include "idle/spin_history.h"

#include <gtest/gtest.h>

namespace teff::idle {
namespace {

constexpr SpinTicks kLengths{.brief = 20, .longer = 200};

// A worker's waits, one after the other, at a clock that the test moves on.
class Waits {
  public:
    // The worker spins without success, and then sleeps. Returns how long it was to spin.
    base::Ticks without_success(base::Ticks sleep) {
        const base::Ticks began = now_, length = spins_.begin(now_, kLengths, spins_.next_is_long());
        now_ += length;
        const base::Ticks gave_up = now_;
        now_ += sleep;
        spins_.slept(began, gave_up, now_, kLengths);
        return length;
    }
    // The wait ends while the worker spins.
    base::Ticks with_success() { return spins_.begin(now_++, kLengths, spins_.next_is_long()); }

    // Waits until it spins again, and returns how long it did not, from the last call on.
    base::Ticks rest() {
        const base::Ticks began = now_;
        base::Ticks ended = now_;
        while (without_success(10) == 0)
            ended = now_;
        return ended - began;
    }

  private:
    SpinHistory spins_;
    base::Ticks now_ = 1000;
};

TEST(SpinHistory, SpinsLongAfterAShortSleepUntilALongSpinIsInVain) {
    Waits waits;
    EXPECT_EQ(waits.without_success(100), kLengths.brief);
    EXPECT_EQ(waits.with_success(), kLengths.longer);
    EXPECT_EQ(waits.without_success(100), kLengths.longer);
    EXPECT_EQ(waits.without_success(1000), kLengths.brief);
    EXPECT_EQ(waits.without_success(10), kLengths.brief);
}

TEST(SpinHistory, RestsAfterLongSpinsThatOnlyASleepEnded) {
    Waits waits;
    unsigned spins = 0;
    while (waits.without_success(10) != 0)
        ASSERT_LT(++spins, 10u);
    EXPECT_EQ(spins, 2u * kFutileSpins); // brief and long ones in turn
    EXPECT_NEAR(static_cast<double>(waits.rest()), 4.0 * kLengths.longer, 20);
}

TEST(SpinHistory, RestsTwiceAsLongIfThatGoesOn) {
    Waits waits;
    base::Ticks rest = 0;
    for (unsigned times = 0; times < 12; ++times) {
        while (waits.without_success(10) != 0) {
        }
        const base::Ticks length = waits.rest();
        EXPECT_GE(length + 20, rest) << times;
        EXPECT_LT(length, (kPauseFactor + 1) * kLengths.longer);
        rest = length;
    }
    EXPECT_GT(rest, 90 * kLengths.longer);
}

TEST(SpinHistory, ASuccessOrALongerSleepSaysThatSpinsPay) {
    Waits waits;
    for (unsigned times = 0; times < 50; ++times) {
        EXPECT_NE(waits.without_success(10), 0u);
        EXPECT_NE(waits.without_success(10), 0u);
        EXPECT_NE(waits.with_success(), 0u);
    }
    for (unsigned times = 0; times < 50; ++times)
        EXPECT_NE(waits.without_success(60), 0u);
}

TEST(SpinHistory, SpinsOfAChosenLengthHaveNoRests) {
    constexpr SpinTicks kChosen{.brief = 200, .longer = 200};
    SpinHistory spins;
    base::Ticks now = 1000;
    for (unsigned times = 0; times < 50; ++times) {
        const base::Ticks began = now;
        EXPECT_EQ(spins.begin(now, kChosen, true), 200u);
        now += 210;
        spins.slept(began, began + 200, now, kChosen);
    }
}

} // namespace
} // namespace teff::idle
