// SPDX-License-Identifier: Apache-2.0
#include "machine/thesis_queues.h"

#include <gtest/gtest.h>

#include "machine/team.h"

namespace teff::machine {
namespace {

constexpr std::uint64_t kKiB = 1024, kMiB = kKiB * kKiB;

struct Shipped {
    explicit Shipped(const char* name)
        : description(*read_description(std::string(TEFF_MACHINES) + name + ".machine").description) {}
    Description description;
    Topology topology{description};
};

std::vector<std::uint32_t> nodes_of(const std::vector<Source>& sources) {
    std::vector<std::uint32_t> nodes;
    for (const Source& source : sources)
        nodes.push_back(source.node);
    return nodes;
}

TEST(ThesisQueues, ATaskIsDealtToWhereItsBytesAre) {
    const Shipped opteron("opteron-performance");
    const Program program = map(16, kMiB, 8);
    const auto homes = [&](Spreading spreading) {
        return homes_on_nodes(program, place(program, opteron.description, spreading), opteron.description,
                              opteron.topology);
    };
    for (unsigned i = 0; i < 16; ++i) {
        EXPECT_EQ(homes(Spreading::coarse)[i], i % 8);
        EXPECT_EQ(homes(Spreading::fine)[i], kNoNode); // they lie evenly
    }
}

TEST(ThesisQueues, ATaskOfFewBytesHasNoHome) {
    const Shipped opteron("opteron-performance");
    const Program program = map(1, 853 * kKiB, 8); // 5 MB / 6 cores is more
    EXPECT_EQ(homes_on_nodes(program, place(program, opteron.description, Spreading::coarse), opteron.description,
                             opteron.topology)[0],
              kNoNode);
}

TEST(ThesisQueues, DistanceWeighsTheBytes) {
    const Shipped opteron("opteron-performance");
    Program program{.name = "three"};
    for (unsigned i = 0; i < 8; ++i)
        program.add_whole(kMiB);
    // Data on nodes 1 and 6: node 0 is at distance 16 from both, so it costs 32. Nodes 1 and 6 also
    // cost 10 + 22 each, and have higher numbers.
    program.tasks = {{0, {{1, Mode::in}, {6, Mode::in}}}, {0, {{1, Mode::in}, {6, Mode::in}, {6, Mode::in}}}};
    const auto homes = homes_on_nodes(program, place(program, opteron.description, Spreading::coarse),
                                      opteron.description, opteron.topology);
    EXPECT_EQ(homes[0], 0u);
    EXPECT_EQ(homes[1], 6u); // 20 + 22, against 48 on 0
}

TEST(ThesisQueues, OnTilesOnlyACoarseDistributionDeals) {
    const Shipped tiles("tilepro64");
    Program program = vecmul(2, 28 * kKiB, 4);
    program.tasks[1].intense = program.tasks[1].uses[2].extent;
    const auto homes = [&](Spreading spreading) {
        return homes_on_tiles(program, place(program, tiles.description, spreading), tiles.description, tiles.topology,
                              spreading);
    };
    EXPECT_EQ(homes(Spreading::fine)[0], kNoNode);
    EXPECT_EQ(homes(Spreading::coarse)[0], 2u); // on 0, 2 and 4
    EXPECT_EQ(homes(Spreading::coarse)[1], 5u); // where the intense one of 1, 3, 5 is
}

TEST(ThesisQueues, OtherNodesAreLeftTheirLastTasks) {
    const Shipped opteron("opteron-performance");
    const auto by_distance = sources_on_nodes(opteron.description, opteron.topology, Steps::distance)[3];
    EXPECT_EQ(nodes_of(by_distance), (std::vector<std::uint32_t>{3, 4, 5, 1, 2, 6, 7, 0}));
    EXPECT_EQ(by_distance[0].more_than, 0u);
    EXPECT_EQ(by_distance[1].more_than, 16u * 6);
    EXPECT_EQ(by_distance[7].more_than, 22u * 6);
    const auto by_hops = sources_on_nodes(opteron.description, opteron.topology, Steps::hops)[3];
    EXPECT_EQ(by_hops[1].more_than, 6u);
    EXPECT_EQ(by_hops[7].more_than, 12u);
}

TEST(ThesisQueues, AVicinityIsARectangle) {
    const Shipped tiles("tilepro64");
    const auto of = [&](unsigned vicinity, unsigned tile) {
        auto nodes = nodes_of(sources_on_tiles(tiles.description, tiles.topology, vicinity)[tile]);
        EXPECT_EQ(nodes[0], tile);
        std::sort(nodes.begin(), nodes.end());
        return nodes;
    };
    EXPECT_EQ(of(1, 11), (std::vector<std::uint32_t>{11}));
    EXPECT_EQ(of(4, 11), (std::vector<std::uint32_t>{2, 3, 10, 11}));
    EXPECT_EQ(of(8, 11), (std::vector<std::uint32_t>{0, 1, 2, 3, 8, 9, 10, 11}));
    EXPECT_EQ(of(16, 11).size(), 16u);
    EXPECT_EQ(of(63, 11).size(), 64u);
}

// ---- With a team.

TEST(ThesisQueues, AlonePerTileEveryTaskRunsAtHome) {
    const Shipped tiles("tilepro64");
    const Outcome outcome =
        run(map(63, 32 * kKiB, 4), tiles.description, {Schedule::thesis_tiles, Spreading::coarse, 1});
    ASSERT_TRUE(outcome.complete);
    for (unsigned i = 0; i < 63; ++i)
        EXPECT_EQ(outcome.runs[i].core, i);
}

TEST(ThesisQueues, WhatHasNoHomeStaysWithItsCreatorsVicinity) {
    const Shipped tiles("tilepro64");
    const Outcome outcome = run(map(63, 32 * kKiB, 4), tiles.description, {Schedule::thesis_tiles, Spreading::fine, 4});
    ASSERT_TRUE(outcome.complete);
    for (const TaskRun& each : outcome.runs)
        EXPECT_TRUE(each.core == 0 || each.core == 1 || each.core == 8 || each.core == 9) << each.core;
}

TEST(ThesisQueues, OneAllocationOnOneTileIsWorkForOne) {
    const Shipped tiles("tilepro64");
    const Outcome outcome =
        run(reduction(700 * kKiB, 6, 4), tiles.description, {Schedule::thesis_tiles, Spreading::coarse, 1});
    ASSERT_TRUE(outcome.complete);
    EXPECT_EQ(outcome.tasks_on(0), 63u);
}

TEST(ThesisQueues, ByDistanceFortyEightTasksAreNotStolen) {
    const Shipped opteron("opteron-performance");
    for (const auto& [schedule, stolen] :
         {std::pair(Schedule::thesis_nodes, false), std::pair(Schedule::thesis_hops, true)}) {
        const Outcome outcome = run(map(48, kMiB, 8), opteron.description, {schedule, Spreading::fine});
        ASSERT_TRUE(outcome.complete);
        unsigned elsewhere = 0;
        for (const TaskRun& each : outcome.runs)
            elsewhere += each.core >= 6;
        EXPECT_EQ(elsewhere != 0, stolen);
    }
}

} // namespace
} // namespace teff::machine
