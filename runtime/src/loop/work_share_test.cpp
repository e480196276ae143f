// SPDX-License-Identifier: Apache-2.0
//
// Tests the protocol of WorkShares, with members that one thread runs in any order, and with real
// threads.
#include "loop/work_share.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "loop/players.h"
#include "loop/ring.h"

namespace teff::loop {
namespace {

// Meets the next construct. The first member sets the chunk size to `mark`; the others check that
// they see it.
bool meet(team::Worker& worker, std::uint64_t mark) {
    const Entry entry = enter(worker);
    if (entry.first) {
        entry.share.chunk = mark;
        open(entry.share);
    }
    EXPECT_EQ(entry.share.chunk, mark);
    return entry.first;
}

TEST(WorkShare, FirstToArriveSetsUpTheOthersFollow) {
    Players players(3);
    EXPECT_TRUE(meet(players[1], 5));
    EXPECT_FALSE(meet(players[0], 5));
    EXPECT_FALSE(meet(players[2], 5));
}

TEST(WorkShare, MembersRunAheadFarBeyondTheRing) {
    constexpr unsigned kConstructs = 1000;
    Players players(3);
    for (unsigned member = 0; member < 3; ++member)
        for (unsigned i = 0; i < kConstructs; ++i) {
            EXPECT_EQ(meet(players[member], i), member == 0) << "construct " << i;
            leave(players[member]);
        }
}

TEST(WorkShare, AnyInterleavingGivesEachConstructOneFirstMember) {
    constexpr unsigned kMembers = 4, kConstructs = 300;
    for (unsigned seed = 1; seed < 40; ++seed) {
        Players players(kMembers);
        std::vector<unsigned> position(kMembers), firsts(kConstructs);
        unsigned random = seed, done = 0;
        while (done < kMembers) {
            random = random * 1664525u + 1013904223u;
            const unsigned member = (random >> 20) % kMembers, burst = 1 + (random >> 24) % 64;
            for (unsigned i = 0; i < burst && position[member] < kConstructs; ++i) {
                firsts[position[member]] += meet(players[member], position[member]);
                leave(players[member]);
                if (++position[member] == kConstructs) ++done;
            }
        }
        for (unsigned i = 0; i < kConstructs; ++i)
            ASSERT_EQ(firsts[i], 1u) << "construct " << i << " seed " << seed;
    }
}

TEST(WorkShare, UnfinishedConstructsOfACancelledRegionDoNotDisturbTheNext) {
    Players players(2);
    for (int region = 0; region < 5; ++region) {
        for (unsigned i = 0; i < 200; ++i)
            EXPECT_TRUE(meet(players[0], i)); // the construct is never left, and the other member never comes
        players.next_region();
    }
    for (unsigned member = 0; member < 2; ++member)
        for (unsigned i = 0; i < 200; ++i) {
            EXPECT_EQ(meet(players[member], 1000 + i), member == 0);
            leave(players[member]);
        }
}

TEST(WorkShare, AloneMeetsOneConstructAfterAnother) {
    Players players(1);
    for (unsigned i = 0; i < 200; ++i) {
        EXPECT_TRUE(meet(players[0], i));
        leave(players[0]);
    }
    leave(players[0]); // no effect: the member is in no construct
}

TEST(WorkShare, MembersFollowIntoACombinedConstruct) {
    for (unsigned size : {1u, 3u}) {
        Players players(size);
        WorkShare& share = claim_first(players.team());
        share.chunk = 42;
        open(share);
        for (unsigned member = 0; member < size; ++member)
            EXPECT_FALSE(meet(players[member], 42));
    }
}

// Members that proceed in step need few WorkShares, no matter how many constructs they meet.
TEST(WorkShare, ConstructsAreUsedAgain) {
    constexpr unsigned kMembers = 3;
    Players players(kMembers);
    std::set<const WorkShare*> used;
    for (unsigned i = 0; i < 1000; ++i)
        for (unsigned member = 0; member < kMembers; ++member) {
            const Entry entry = enter(players[member]);
            if (entry.first) open(entry.share);
            used.insert(&entry.share);
            leave(players[member]);
        }
    EXPECT_LE(used.size(), 4u);
}

// WorkShares that a member needed to run ahead in one region are available in the next region: the
// ring does not grow again.
TEST(WorkShare, NextRegionTakesAllBack) {
    Players players(2);
    std::set<const WorkShare*> used;
    for (int region = 0; region < 4; ++region) {
        for (unsigned i = 0; i < 300; ++i) {
            const Entry entry = enter(players[0]);
            ASSERT_TRUE(entry.first);
            open(entry.share);
            used.insert(&entry.share);
            leave(players[0]);
        }
        players.next_region();
    }
    EXPECT_EQ(used.size(), 300u);
}

TEST(WorkShare, RingGrowsWithTheTeam) {
    Players players(4);
    players.team().size = players.team().capacity = 2;
    EXPECT_EQ(ring_of(players.team()).capacity, 2u);
    players.team().size = players.team().capacity = 4;
    EXPECT_EQ(ring_of(players.team()).capacity, 4u);
}

TEST(WorkShare, MemoryIsZeroedAndShared) {
    Players players(2);
    for (int round = 0; round < 20; ++round) {
        const Entry first = enter(players[0]);
        ASSERT_TRUE(first.first);
        allocate_memory(first.share, 100);
        for (int i = 0; i < 100; ++i)
            ASSERT_EQ(static_cast<char*>(first.share.memory)[i], 0);
        static_cast<char*>(first.share.memory)[7] = 1;
        open(first.share);
        const Entry second = enter(players[1]);
        EXPECT_EQ(static_cast<char*>(second.share.memory)[7], 1);
        leave(players[0]);
        leave(players[1]);
        EXPECT_EQ(second.share.memory, nullptr);
    }
}

TEST(WorkShare, ThreadsAgreeOnWhoIsFirst) {
    constexpr unsigned kMembers = 5, kConstructs = 4000;
    Players players(kMembers);
    std::vector<std::atomic<unsigned>> firsts(kConstructs);
    std::vector<std::thread> threads;
    for (unsigned member = 0; member < kMembers; ++member)
        threads.emplace_back([&, member] {
            for (unsigned i = 0; i < kConstructs; ++i) {
                firsts[i] += meet(players[member], i);
                leave(players[member]);
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    for (unsigned i = 0; i < kConstructs; ++i)
        ASSERT_EQ(firsts[i], 1u) << "construct " << i;
}

} // namespace
} // namespace teff::loop
