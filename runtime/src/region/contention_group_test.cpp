// SPDX-License-Identifier: Apache-2.0
#include "region/contention_group.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace teff::region {
namespace {

// A team at level 0, and the place of a member two levels deeper.
struct Group {
    team::Team initial, outer, inner;
    team::Member root, middle, leaf;

    Group() {
        root.team = &initial;
        middle.team = &outer;
        leaf.team = &inner;
        outer.initial = inner.initial = &initial;
    }
};

TEST(ContentionGroup, TheInitialTeamIsFoundFromEveryLevel) {
    Group group;
    EXPECT_EQ(&initial_team(group.root), &group.initial);
    EXPECT_EQ(&initial_team(group.leaf), &group.initial);
}

TEST(ContentionGroup, WithoutALimitNothingIsCounted) {
    Group group;
    EXPECT_EQ(join_group(group.leaf, icv::kNoThreadLimit, 1000), 1000u);
    EXPECT_EQ(group.initial.group_extra, 0u);
}

TEST(ContentionGroup, AllTeamsTogetherStayWithinTheLimit) {
    Group group;
    EXPECT_EQ(join_group(group.root, 5, 4), 4u);
    EXPECT_EQ(join_group(group.middle, 5, 4), 2u); // its leader is already counted
    EXPECT_EQ(join_group(group.leaf, 5, 4), 1u);
    leave_group(group.middle, 5, 1);
    EXPECT_EQ(join_group(group.leaf, 5, 4), 2u);
    leave_group(group.leaf, 5, 1);
    leave_group(group.root, 5, 3);
    EXPECT_EQ(group.initial.group_extra, 0u);
}

TEST(ContentionGroup, ALimitOfOneLeavesEveryLeaderAlone) {
    Group group;
    EXPECT_EQ(join_group(group.root, 1, 8), 1u);
    EXPECT_EQ(join_group(group.root, 1, 1), 1u);
}

TEST(ContentionGroup, ALimitThatWasLoweredMeanwhileGrantsNothing) {
    Group group;
    EXPECT_EQ(join_group(group.root, 8, 8), 8u);
    EXPECT_EQ(join_group(group.leaf, 3, 4), 1u);
}

TEST(ContentionGroup, LeadersOnManyThreadsNeverExceedIt) {
    constexpr unsigned kLimit = 6;
    Group group;
    std::atomic<unsigned> at_work{0}, most{0};
    auto lead = [&] {
        for (int i = 0; i < 2000; ++i) {
            const unsigned extra = join_group(group.leaf, kLimit, 4) - 1;
            const unsigned now = at_work.fetch_add(extra) + extra;
            for (unsigned seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
            }
            at_work.fetch_sub(extra);
            leave_group(group.leaf, kLimit, extra);
        }
    };
    std::vector<std::thread> leaders;
    for (int i = 0; i < 4; ++i)
        leaders.emplace_back(lead);
    for (std::thread& leader : leaders)
        leader.join();
    EXPECT_LE(most, kLimit - 1);
    EXPECT_EQ(group.initial.group_extra, 0u);
}

} // namespace
} // namespace teff::region
