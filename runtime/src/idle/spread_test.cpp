// SPDX-License-Identifier: Apache-2.0
#include "idle/spread.h"

#include <gtest/gtest.h>

namespace teff::idle {
namespace {

// A leader that gives way on processor 1, and a worker that goes on now and then.
class SpreadTest : public testing::Test {
  protected:
    bool go_on(unsigned processor, base::Ticks later = 1'000) {
        leader_.write(1);
        return go_on_without_leader(processor, later);
    }
    bool go_on_without_leader(unsigned processor, base::Ticks later = 1'000) {
        now_ += later;
        return spread_.goes_on(processor, leader_.read(), now_);
    }
    // How many wake-ups until it moves.
    unsigned times_until_move(base::Ticks between) {
        for (unsigned times = 1; times < 10'000; ++times)
            if (go_on(1, between)) return times;
        return 0;
    }

    GaveWay leader_;
    Spread spread_;
    base::Ticks now_ = 1'000'000'000;
};

TEST_F(SpreadTest, AWorkerMovesWhenItGoesOnBesideItsLeaderTimeAfterTime) {
    EXPECT_FALSE(go_on(1));
    EXPECT_FALSE(go_on(1));
    EXPECT_TRUE(go_on(1));
    EXPECT_FALSE(go_on(1));
}

TEST_F(SpreadTest, ElsewhereItStays) {
    for (int i = 0; i < 100; ++i)
        EXPECT_FALSE(go_on(0));
}

TEST_F(SpreadTest, OneTimeElsewhereBeginsTheCountAnew) {
    EXPECT_FALSE(go_on(1));
    EXPECT_FALSE(go_on(1));
    EXPECT_FALSE(go_on(0));
    EXPECT_FALSE(go_on(1));
    EXPECT_FALSE(go_on(1));
    EXPECT_TRUE(go_on(1));
}

TEST_F(SpreadTest, WhereALeaderGaveWayLongAgoCountsOnce) {
    leader_.write(1);
    for (int i = 0; i < 100; ++i)
        EXPECT_FALSE(go_on_without_leader(1));
}

TEST_F(SpreadTest, MovesThatDoNotHelpGetRarer) {
    EXPECT_EQ(times_until_move(1'000), kTimesBeside);
    const unsigned first = times_until_move(100'000);
    const unsigned second = times_until_move(100'000);
    EXPECT_GT(first, kTimesBeside);
    EXPECT_GT(second, first);
    for (int i = 0; i < 20; ++i)
        (void)times_until_move(100'000);
    const unsigned rarest = times_until_move(100'000);
    EXPECT_EQ(rarest, (in_ticks(kLongestStay_ns) + 99'999) / 100'000);
    now_ += 3 * in_ticks(kLongestStay_ns);
    EXPECT_EQ(times_until_move(1'000), kTimesBeside) << "it did help";
    EXPECT_LE(times_until_move(100'000), in_ticks(kFirstStay_ns) / 100'000 + 1);
}

TEST_F(SpreadTest, ANoteHoldsProcessorAndNumber) {
    GaveWay note;
    note.write(8191);
    const std::uint64_t first = note.read();
    EXPECT_EQ(GaveWay::processor_of(first), 8191u);
    note.write(8191);
    EXPECT_NE(note.read(), first);
    EXPECT_EQ(GaveWay::processor_of(note.read()), 8191u);
}

} // namespace
} // namespace teff::idle
