// SPDX-License-Identifier: Apache-2.0
#include "distribute/placer.h"

#include <algorithm>
#include <cerrno>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

#include "base/listener.h"
#include "base/standard_error.h"
#include "mem/placement.h"

namespace teff::distribute {
namespace {

using mem::NodeMask;
using mem::Policy;
using mem::Range;

// A system that notes what it is asked for.
class FakeSystem final : public mem::System {
  public:
    struct Bound {
        Policy policy;
        std::vector<unsigned> nodes;
        bool operator==(const Bound&) const = default;
    };

    long bind(Range, Policy policy, const NodeMask& mask) const override {
        if (answer != 0) return answer;
        Bound bound{policy, {}};
        for (unsigned number = 0; number < topo::NumaNodes::kMostNumber; ++number)
            if (mask.has(number)) bound.nodes.push_back(number);
        asked.push_back(bound);
        return 0;
    }
    long forbid_huge_pages(Range) const override {
        ++small_pages;
        return -EINVAL; // as of a kernel without them
    }
    void* map(std::size_t) const override { return nullptr; }
    void unmap(Range) const override {}
    long node_of_caller() const override { return 0; }
    long node_of_page(void*) const override {
        ADD_FAILURE() << "the program's page was touched";
        return 0;
    }

    mutable std::vector<Bound> asked;
    mutable int small_pages = 0;
    long answer = 0;
};

FakeSystem* fake = nullptr;
mem::Nodes* fake_nodes = nullptr;
Mappings fake_mappings;
int counts = 0;

class PlacerTest : public testing::Test {
  protected:
    PlacerTest() {
        fake = &system;
        fake_nodes = &nodes;
        fake_mappings = {100, 65530};
        counts = 0;
        nodes.count = 0;
        for (const unsigned number : {0u, 2u, 33u})
            nodes.add(number);
    }

    Outcome place() { return placer.place({nullptr, std::size_t{1} << 20}); }
    long count_placed(long tries) {
        long placed = 0;
        for (long i = 0; i < tries; ++i)
            placed += place() == Outcome::placed;
        return placed;
    }

    FakeSystem system;
    mem::Nodes nodes;
    Placer placer{[]() -> const mem::System& { return *fake; }, [] { return *fake_nodes; },
                  [] {
                      ++counts;
                      return fake_mappings;
                  }};
};

TEST_F(PlacerTest, FineIsAllNodesWithSmallPages) {
    placer.set({.spread = Spread::fine});
    EXPECT_EQ(place(), Outcome::placed);
    EXPECT_EQ(system.asked, (std::vector<FakeSystem::Bound>{{Policy::interleave, {0, 2, 33}}}));
    EXPECT_EQ(system.small_pages, 1);
}

TEST_F(PlacerTest, CoarseIsANodeAfterTheOther) {
    placer.set({.spread = Spread::coarse});
    for (int turn = 0; turn < 4; ++turn)
        EXPECT_EQ(place(), Outcome::placed);
    EXPECT_EQ(
        system.asked,
        (std::vector<FakeSystem::Bound>{
            {Policy::preferred, {0}}, {Policy::preferred, {2}}, {Policy::preferred, {33}}, {Policy::preferred, {0}}}));
    EXPECT_EQ(system.small_pages, 0);
}

TEST_F(PlacerTest, ASingleNodeIsNothingToSpreadOverUnlessATestWantsIt) {
    nodes.count = 1;
    EXPECT_FALSE(placer.has_nodes());
    EXPECT_EQ(place(), Outcome::left_alone);
    EXPECT_EQ(counts, 0);
    placer.set({.one_node_too = true});
    EXPECT_EQ(place(), Outcome::placed);
}

TEST_F(PlacerTest, FollowsAThreadThatIsBoundMeanwhile) {
    placer.set({.spread = Spread::coarse});
    EXPECT_EQ(place(), Outcome::placed);
    nodes = {};
    nodes.count = 0;
    nodes.add(2);
    EXPECT_EQ(place(), Outcome::left_alone);
    nodes.add(33);
    EXPECT_EQ(place(), Outcome::placed);
    EXPECT_EQ(system.asked.size(), 2u);
}

TEST_F(PlacerTest, ARefusalIsSaidOnce) {
    system.answer = -EPERM;
    base::Listener listener;
    base::note_standard_error();
    EXPECT_EQ(place(), Outcome::never);
    EXPECT_EQ(place(), Outcome::never);
    const std::string words = listener.heard();
    EXPECT_NE(words.find("refuses to spread memory"), std::string::npos) << words;
    EXPECT_NE(words.find("teff run --distribute has no effect"), std::string::npos) << words;
    EXPECT_EQ(std::count(words.begin(), words.end(), '\n'), 1);
}

TEST_F(PlacerTest, WhatFailsBesidesIsSaidOnceAndTriedAgain) {
    placer.set({.spread = Spread::fine});
    system.answer = -ENOMEM;
    base::Listener listener;
    base::note_standard_error();
    EXPECT_EQ(place(), Outcome::left_alone);
    EXPECT_EQ(place(), Outcome::left_alone);
    EXPECT_EQ(system.small_pages, 0) << "left as it was";
    system.answer = 0;
    EXPECT_EQ(place(), Outcome::placed);
    const std::string words = listener.heard();
    EXPECT_EQ(std::count(words.begin(), words.end(), '\n'), 1);
}

TEST_F(PlacerTest, TakesNoMoreThanHalfOfTheMappings) {
    const long room = (65530 / 2 - 100) / Placer::kMappingsPerRange;
    fake_mappings.now = 100;
    EXPECT_EQ(count_placed(room), room);
    EXPECT_EQ(counts, 1);
    fake_mappings.now = 65530 / 2; // it was all of them
    EXPECT_EQ(count_placed(3 * Placer::kPause), 0);
    EXPECT_LE(counts, 5) << "counting takes milliseconds";
    fake_mappings.now = 200; // most were given back
    EXPECT_GT(count_placed(2 * Placer::kPause), 0);
}

TEST_F(PlacerTest, ACountThatCannotBeHadIsNoRoom) {
    fake_mappings = {};
    EXPECT_EQ(place(), Outcome::left_alone);
    fake_mappings = {0, 2 * Placer::kMappingsPerRange * Placer::kFewRanges - 1};
    EXPECT_EQ(count_placed(2 * Placer::kPause), 0) << "so few are not worth a count";
}

TEST_F(PlacerTest, ThreadsPlaceAllThatThereIsRoomFor) {
    nodes.count = 1;
    placer.set({.spread = Spread::coarse});
    EXPECT_EQ(place(), Outcome::left_alone);
    placer.set({.spread = Spread::coarse, .one_node_too = true});
    system.answer = -EINVAL; // nothing is noted: the notes are one thread's
    base::Listener listener;
    base::note_standard_error();
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([this] { EXPECT_EQ(count_placed(1000), 0); });
    for (std::thread& thread : threads)
        thread.join();
    const std::string words = listener.heard();
    EXPECT_EQ(std::count(words.begin(), words.end(), '\n'), 1);
}

} // namespace
} // namespace teff::distribute
