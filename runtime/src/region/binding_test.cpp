// SPDX-License-Identifier: Apache-2.0
// Checks the rules of the specification (5.2, section 10.1.3) for every small team, partition and
// place of the leader.
#include "region/binding.h"

#include <functional>
#include <gtest/gtest.h>
#include <vector>

namespace teff::region {
namespace {

using icv::ProcBind;
using team::Binding;
using Team = std::vector<Binding>;

constexpr unsigned kMost = 9;
constexpr unsigned kFirst = 3; // first place of the partition; not 0, so that a missing offset is noticed

Team assigned(ProcBind policy, unsigned size, const Binding& leader) {
    Team team;
    for (unsigned number = 0; number < size; ++number)
        team.push_back(assign_place(policy, size, number, leader));
    return team;
}

void for_all(ProcBind policy, const std::function<void(const Team&, const Binding& leader)>& check) {
    for (unsigned places = 1; places <= kMost; ++places)
        for (unsigned place = 0; place < places; ++place)
            for (unsigned size = 1; size <= 3 * kMost; ++size) {
                const Binding leader = {kFirst + place, kFirst, places};
                SCOPED_TRACE(testing::Message() << size << " threads, place " << place << " of " << places);
                check(assigned(policy, size, leader), leader);
            }
}

// Returns the number of members of each place. The leader's place comes first, the others follow in
// the order of the partition, wrapping around at its end.
std::vector<unsigned> members_per_place(const Team& team, const Binding& leader) {
    std::vector<unsigned> count(leader.partition_size);
    for (const Binding& member : team)
        ++count[(member.place + leader.partition_size - leader.place) % leader.partition_size];
    return count;
}

// Expects that the members form sets of consecutive numbers, one for each place, beginning with the
// leader's place and continuing around the partition, and that the sizes of the sets differ by at
// most one. This is `close`, and also `spread` with more threads than places.
void expect_consecutive_sets(const Team& team, const Binding& leader) {
    const auto threads = static_cast<unsigned>(team.size());
    const unsigned places = leader.partition_size;
    unsigned number = 0;
    const std::vector<unsigned> sizes = members_per_place(team, leader);
    for (unsigned step = 0; step < places; ++step) {
        EXPECT_GE(sizes[step], threads / places);
        EXPECT_LE(sizes[step], (threads + places - 1) / places);
        for (unsigned i = 0; i < sizes[step]; ++i, ++number)
            EXPECT_EQ(team[number].place, kFirst + (leader.place - kFirst + step) % places) << number;
    }
    EXPECT_EQ(number, threads);
}

TEST(Binding, PrimaryKeepsAllOnTheLeadersPlace) {
    for_all(ProcBind::primary, [](const Team& team, const Binding& leader) {
        for (const Binding& member : team)
            EXPECT_EQ(member, leader);
    });
}

TEST(Binding, CloseGoesFromPlaceToPlace) {
    for (const ProcBind policy : {ProcBind::close, ProcBind::true_})
        for_all(policy, [](const Team& team, const Binding& leader) {
            expect_consecutive_sets(team, leader);
            EXPECT_EQ(team[0], leader);
            for (const Binding& member : team) {
                EXPECT_EQ(member.partition_first, leader.partition_first);
                EXPECT_EQ(member.partition_size, leader.partition_size);
            }
        });
}

TEST(Binding, SpreadWithEnoughPlacesDividesThem) {
    for_all(ProcBind::spread, [](const Team& team, const Binding& leader) {
        const auto threads = static_cast<unsigned>(team.size());
        if (threads > leader.partition_size) return;
        EXPECT_EQ(team[0].place, leader.place) << "the leader stays";
        unsigned covered = 0;
        for (unsigned number = 0; number < threads; ++number) {
            const Binding& member = team[number];
            const Binding& next = team[(number + 1) % threads];
            EXPECT_GE(member.partition_size, leader.partition_size / threads);
            EXPECT_LE(member.partition_size, (leader.partition_size + threads - 1) / threads);
            EXPECT_GE(member.place, member.partition_first);
            EXPECT_LT(member.place, member.partition_first + member.partition_size);
            if (number != 0) {
                EXPECT_EQ(member.place, member.partition_first);
            }
            // The parts follow each other without gap or overlap, wrapping around at the end.
            const unsigned end = member.partition_first + member.partition_size;
            EXPECT_EQ(next.partition_first, end == kFirst + leader.partition_size ? kFirst : end);
            covered += member.partition_size;
        }
        EXPECT_EQ(covered, leader.partition_size);
    });
}

TEST(Binding, SpreadWithTooFewPlacesGivesEachMemberOne) {
    for_all(ProcBind::spread, [](const Team& team, const Binding& leader) {
        if (team.size() <= leader.partition_size) return;
        expect_consecutive_sets(team, leader);
        for (const Binding& member : team) {
            EXPECT_EQ(member.partition_first, member.place);
            EXPECT_EQ(member.partition_size, 1u);
        }
    });
}

TEST(Binding, NestedTeamsStayInTheirPartition) {
    const Team outer = assigned(ProcBind::spread, 2, {0, 0, 8});
    EXPECT_EQ(outer, (Team{{0, 0, 4}, {4, 4, 4}}));
    EXPECT_EQ(assigned(ProcBind::close, 3, outer[1]), (Team{{4, 4, 4}, {5, 4, 4}, {6, 4, 4}}));
    EXPECT_EQ(assigned(ProcBind::spread, 2, outer[1]), (Team{{4, 4, 2}, {6, 6, 2}}));
}

TEST(Binding, TheExcessGoesToTheFirstPlacesFromTheLeaders) {
    const Binding leader = {kFirst + 1, kFirst, 3};
    EXPECT_EQ(members_per_place(assigned(ProcBind::close, 8, leader), leader), (std::vector<unsigned>{3, 3, 2}));
}

TEST(Binding, TheClauseCountsUnlessBindingIsOff) {
    EXPECT_EQ(region_policy(ProcBind::close, 0), ProcBind::close);
    EXPECT_EQ(region_policy(ProcBind::close, 4), ProcBind::spread);
    EXPECT_EQ(region_policy(ProcBind::true_, 2), ProcBind::primary);
    EXPECT_EQ(region_policy(ProcBind::false_, 4), ProcBind::false_);
}

// Places of two processors, except the last, which has one.
TEST(CrowdsPlaces, WhereAPlaceGetsMoreMembersThanItHasProcessors) {
    std::vector<topo::ProcessorSet> places(4);
    for (unsigned processor = 0; processor < 7; ++processor)
        places[processor / 2].add(processor);
    const auto crowds = [&](ProcBind policy, unsigned size, unsigned first, unsigned count) {
        const Binding leader = {.place = first, .partition_first = first, .partition_size = count};
        return crowds_places({.policy = policy, .size = size, .leader = leader}, places);
    };
    EXPECT_FALSE(crowds(ProcBind::primary, 2, 0, 4));
    EXPECT_TRUE(crowds(ProcBind::primary, 3, 0, 4));
    EXPECT_TRUE(crowds(ProcBind::primary, 2, 3, 1));
    for (const ProcBind policy : {ProcBind::close, ProcBind::spread}) {
        EXPECT_FALSE(crowds(policy, 4, 0, 4));
        EXPECT_TRUE(crowds(policy, 5, 0, 4)) << "two members may get the last place";
        EXPECT_FALSE(crowds(policy, 6, 0, 3));
        EXPECT_TRUE(crowds(policy, 7, 0, 3));
    }
    EXPECT_FALSE(crowds_places({.policy = ProcBind::close, .size = 9, .leader = {}}, {}));
}

} // namespace
} // namespace teff::region
