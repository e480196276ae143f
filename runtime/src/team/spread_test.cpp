// SPDX-License-Identifier: Apache-2.0
#include "team/spread.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include "topo/processors.h"

namespace teff::team {
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
    EXPECT_EQ(times_until_move(1'000), Spread::kTimes);
    const unsigned first = times_until_move(100'000);
    const unsigned second = times_until_move(100'000);
    EXPECT_GT(first, Spread::kTimes);
    EXPECT_GT(second, first);
    for (int i = 0; i < 20; ++i)
        (void)times_until_move(100'000);
    const unsigned rarest = times_until_move(100'000);
    EXPECT_EQ(rarest, Spread::kLongestPause / 100'000);
    now_ += 3 * Spread::kLongestPause;
    EXPECT_EQ(times_until_move(1'000), Spread::kTimes) << "it did help";
    EXPECT_LE(times_until_move(100'000), Spread::kFirstPause / 100'000 + 1);
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

TEST(BeginElsewhere, LeavesOutOneProcessorWhichComesBack) {
    const topo::ProcessorSet allowed = topo::affinity_mask();
    pthread_attr_t attributes;
    ASSERT_EQ(pthread_attr_init(&attributes), 0);
    const unsigned here = begin_elsewhere(attributes);
    if (allowed.count() < 2) {
        EXPECT_EQ(here, kNoProcessor);
    } else {
        ASSERT_TRUE(allowed.has(here));
        topo::ProcessorSet others = allowed;
        others.remove(here);
        struct Seen {
            unsigned left_out;
            topo::ProcessorSet first{}, then{};
        } seen{.left_out = here};
        const auto look = [](void* argument) -> void* {
            auto& found = *static_cast<Seen*>(argument);
            found.first = topo::affinity_mask();
            come_back(found.left_out);
            found.then = topo::affinity_mask();
            return nullptr;
        };
        pthread_t thread;
        ASSERT_EQ(pthread_create(&thread, &attributes, look, &seen), 0);
        ASSERT_EQ(pthread_join(thread, nullptr), 0);
        EXPECT_TRUE(seen.first == others);
        EXPECT_TRUE(seen.then == allowed);
    }
    pthread_attr_destroy(&attributes);
}

TEST(BeginElsewhere, DoesNothingWhereThereIsNoOtherProcessor) {
    const topo::ProcessorSet allowed = topo::affinity_mask();
    topo::ProcessorSet one;
    one.add(allowed.next(0));
    ASSERT_TRUE(topo::set_affinity_mask(one));
    pthread_attr_t attributes;
    ASSERT_EQ(pthread_attr_init(&attributes), 0);
    EXPECT_EQ(begin_elsewhere(attributes), kNoProcessor);
    pthread_attr_destroy(&attributes);
    ASSERT_TRUE(topo::set_affinity_mask(allowed));
}

} // namespace
} // namespace teff::team
