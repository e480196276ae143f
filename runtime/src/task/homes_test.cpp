// SPDX-License-Identifier: Apache-2.0
#include "task/homes.h"

#include <gtest/gtest.h>
#include <memory>

namespace teff::task {
namespace {

TaskloopPart part_of(std::uint64_t first, std::uint64_t iterations, std::uint64_t all) {
    return {.first_iteration = first, .iterations = iterations, .all = all, .first = 0, .end = 0, .place = nullptr};
}

TEST(Homes, OfAsManyPartsAsMembersEachIsOneMembers) {
    for (unsigned members = 1; members <= 8; ++members)
        for (unsigned i = 0; i < members; ++i)
            EXPECT_EQ(member_of_middle(part_of(10 * i, 10, 10 * members), members), i);
}

TEST(Homes, TheMiddleDecides) {
    EXPECT_EQ(member_of_middle(part_of(40, 19, 100), 2), 0u);
    EXPECT_EQ(member_of_middle(part_of(40, 20, 100), 2), 1u);
    EXPECT_EQ(member_of_middle(part_of(99, 1, 100), 2), 1u);
    EXPECT_EQ(member_of_middle(part_of(0, 1, 1), 64), 0u);
}

TEST(Homes, LongestLoop) {
    constexpr std::uint64_t kMost = ~std::uint64_t{0};
    EXPECT_EQ(member_of_middle(part_of(kMost - 1, 1, kMost), 64), 63u);
    EXPECT_EQ(member_of_middle(part_of(0, kMost, kMost), 64), 31u);
}

// Four members: three are known to be on nodes 0, 0 and 1; the node of the fourth is not known.
class PartsOfALoop : public testing::Test {
  protected:
    PartsOfALoop() {
        for (unsigned i = 0; i < 4; ++i)
            places_[i] = &members_[i];
        team_.size = 4;
        team_.members = places_;
        members_[0].team = &team_;
        members_[0].node = members_[1].node = sched::home_on(0);
        members_[2].node = sched::home_on(1);
        worker_.member = &members_[0];
        worker_.task = &parent_;
        parent_.flags = kImplicit;
        task_.id = 7;
    }
    sched::Home home(const TaskloopPart& part) {
        TaskClauses clauses;
        clauses.part = &part;
        return home_of(worker_, task_, clauses);
    }

    team::Team team_;
    team::Member members_[4];
    team::Member* places_[4];
    team::Worker worker_;
    Task parent_, task_;
};

TEST_F(PartsOfALoop, AreAtHomeWithTheMemberOfAStaticLoop) {
    EXPECT_EQ(home(part_of(0, 25, 100)), sched::home_on(0));
    EXPECT_EQ(home(part_of(25, 25, 100)), sched::home_on(0));
    EXPECT_EQ(home(part_of(50, 25, 100)), sched::home_on(1));
    EXPECT_EQ(home(part_of(75, 25, 100)), sched::kNoHome) << "its member has told nothing";
}

TEST_F(PartsOfALoop, HaveNoHomeIfTheyAreVeryMany) {
    const std::uint64_t all = 1000 * 4 * kMostPartsPerMember;
    EXPECT_EQ(home(part_of(0, 1000, all)), sched::home_on(0));
    EXPECT_EQ(home(part_of(0, 990, all)), sched::kNoHome);
}

TEST_F(PartsOfALoop, HaveNoHomeIfAnExplicitTaskMakesThem) {
    parent_.flags = 0;
    EXPECT_EQ(home(part_of(0, 25, 100)), sched::kNoHome);
}

} // namespace
} // namespace teff::task
