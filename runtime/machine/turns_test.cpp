// SPDX-License-Identifier: Apache-2.0
#include "machine/turns.h"

#include <gtest/gtest.h>
#include <random>

namespace teff::machine {
namespace {

TEST(MachineTurns, TheEarliestIsFirstAndOfEqualsTheLowerCore) {
    Turns turns(5);
    EXPECT_EQ(turns.first().at, Turns::kNever);
    turns.set(4, 7);
    turns.set(1, 9);
    turns.set(3, 7);
    EXPECT_EQ(turns.first().core, 3u);
    turns.set(3, Turns::kNever);
    EXPECT_EQ(turns.first().core, 4u);
    turns.set(4, 10); // another turn takes the place of the one it had
    EXPECT_EQ(turns.first().core, 1u);
    EXPECT_EQ(turns.first().at, 9u);
}

TEST(MachineTurns, OneCoreAloneHasATurnOrNone) {
    Turns turns(1);
    EXPECT_EQ(turns.first().at, Turns::kNever);
    turns.set(0, 3);
    EXPECT_EQ(turns.first().at, 3u);
}

TEST(MachineTurns, AreAsASearchThroughAllFindsThem) {
    constexpr unsigned kCores = 63;
    Turns turns(kCores);
    std::vector<Time> at(kCores, Turns::kNever);
    std::mt19937 random(1);
    for (int i = 0; i < 20'000; ++i) {
        const unsigned core = random() % kCores;
        at[core] = random() % 4 == 0 ? Turns::kNever : random() % 50;
        turns.set(core, at[core]);
        Turns::Turn first{at[0], 0};
        for (unsigned other = 1; other < kCores; ++other)
            if (const Turns::Turn turn{at[other], other}; turn.before(first)) first = turn;
        ASSERT_EQ(turns.first().at, first.at);
        if (first.at != Turns::kNever) {
            ASSERT_EQ(turns.first().core, first.core);
        }
    }
}

} // namespace
} // namespace teff::machine
