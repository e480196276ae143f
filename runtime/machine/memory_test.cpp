// SPDX-License-Identifier: Apache-2.0
#include "machine/memory.h"

#include <gtest/gtest.h>

namespace teff::machine {
namespace {

// Two nodes. A line takes 100 cycles on its own node and 200 from the other. A core has four misses
// at a time. The controller takes 2 cycles for a line, and the link takes 3.
Description two_nodes() {
    Description d;
    d.nodes = 2;
    d.cores_per_node = 2;
    d.links = {{0, 1, 3 * kCycle}};
    d.outstanding = 4;
    d.memory = {.own = 100 * kCycle, .remote = 100 * kCycle, .hop = 100 * kCycle};
    d.controller_per_line = 2 * kCycle;
    d.cache_per_line = 10 * kCycle;
    return d;
}

struct Model {
    explicit Model(const Description& d = two_nodes())
        : description(d), topology(description), memory(description, topology) {}

    std::uint64_t read(unsigned node, const Chunk& chunk, Time at_cycle = 0) {
        return memory.fetch(node, chunk, Access::read, at_cycle * kCycle) / kCycle;
    }
    std::uint64_t write(unsigned node, const Chunk& chunk, Time at_cycle = 0) {
        return memory.fetch(node, chunk, Access::write, at_cycle * kCycle) / kCycle;
    }

    Description description;
    Topology topology;
    Memory memory;
};

// 64 KB: 1024 lines.
Chunk chunk_on(unsigned node, std::uint64_t id = 1) { return {id, 65536, {{node, 1024}}}; }

TEST(MachineMemory, AChunkTakesItsLinesTimesLatencyByMissesAtOnce) {
    EXPECT_EQ(Model().read(0, chunk_on(0)), 1024u * 100 / 4);
    EXPECT_EQ(Model().read(1, chunk_on(0)), 1024u * 200 / 4);
    EXPECT_EQ(Model().read(1, chunk_on(0), 7), 7 + 1024u * 200 / 4);
}

TEST(MachineMemory, PartsOnSeveralNodesAddUp) {
    EXPECT_EQ(Model().read(0, {1, 65536, {{0, 512}, {1, 512}}}), (512u * 100 + 512 * 200) / 4);
}

TEST(MachineMemory, ChunksQueueAtTheController) {
    Model model;
    EXPECT_EQ(model.read(0, chunk_on(0, 1)), 25600u);
    EXPECT_EQ(model.read(0, chunk_on(0, 2)), 2048u + 25600);
    EXPECT_EQ(model.read(0, chunk_on(0, 3)), 2 * 2048u + 25600);
    EXPECT_EQ(model.read(0, chunk_on(0, 4), 10'000), 10'000u + 25600); // it is free by then
    EXPECT_EQ(model.memory.busy(0), 4 * 2048 * kCycle);
}

TEST(MachineMemory, ChunksQueueAtTheLink) {
    Model model;
    EXPECT_EQ(model.read(1, chunk_on(0, 1)), 51200u);
    EXPECT_EQ(model.read(1, chunk_on(0, 2)), 3072u + 51200); // the link is busy for longer than the controller
    EXPECT_EQ(model.read(0, chunk_on(0, 3)), 4096u + 25600); // needs the controller alone
    EXPECT_EQ(model.read(0, chunk_on(1, 4)), 51200u);        // the other direction
}

TEST(MachineMemory, ABusyServerSetsThePaceWhereManyMissesAreUnderWay) {
    Description d = two_nodes();
    d.outstanding = 1024;
    EXPECT_EQ(Model(d).read(0, chunk_on(0)), 2048u);
    EXPECT_EQ(Model(d).read(1, chunk_on(0)), 3072u);
}

TEST(MachineMemory, WhatIsWrittenGoesBackAndNobodyWaits) {
    Model model;
    EXPECT_EQ(model.write(0, chunk_on(0, 1)), 25600u);
    EXPECT_EQ(model.read(0, chunk_on(0, 2)), 2 * 2048u + 25600);
}

TEST(MachineMemory, ThreeHopsPassThreeLinks) {
    Description d = two_nodes();
    d.nodes = 4;
    d.links = {{0, 1, 3 * kCycle}, {1, 2, 5 * kCycle}, {2, 3, 4 * kCycle}};
    Model model(d);
    EXPECT_EQ(model.read(3, chunk_on(0, 1)), 1024u * 400 / 4);
    EXPECT_EQ(model.read(2, chunk_on(1, 2)), 1024u * 5 + 1024 * 200 / 4); // behind it on the middle link
}

TEST(MachineMemory, ANodesCacheKeepsWhatItUsedLast) {
    Description d = two_nodes();
    d.cache_bytes = 2 * 65536;
    Model model(d);
    for (const std::uint64_t id : {1, 2, 1, 3}) // 3 takes the place of 2
        (void)model.read(0, chunk_on(0, id));
    EXPECT_EQ(model.memory.hits(), 1u);
    EXPECT_EQ(model.read(0, chunk_on(0, 1), 1'000'000), 1'000'000u + 1024 * 10 / 4);
    EXPECT_EQ(model.read(0, chunk_on(0, 3), 2'000'000), 2'000'000u + 1024 * 10 / 4);
    EXPECT_EQ(model.read(0, chunk_on(0, 2), 3'000'000), 3'000'000u + 25600);
    EXPECT_EQ(model.memory.misses(), 4u);
}

TEST(MachineMemory, WhatAnotherNodeHasWrittenIsFetchedAnew) {
    Description d = two_nodes();
    d.cache_bytes = 1 << 20;
    Model model(d);
    (void)model.read(0, chunk_on(0));
    (void)model.write(1, chunk_on(0), 1'000'000);
    EXPECT_EQ(model.read(0, chunk_on(0), 2'000'000), 2'000'000u + 25600);
    EXPECT_EQ(model.read(1, chunk_on(0), 3'000'000), 3'000'000u + 2560); // who wrote it has it
    EXPECT_EQ(model.read(0, chunk_on(0), 4'000'000), 4'000'000u + 2560); // and so has who fetched it anew
}

TEST(MachineMemory, AChunkBeyondTheCacheIsNotKept) {
    Description d = two_nodes();
    d.cache_bytes = 65535;
    Model model(d);
    (void)model.read(0, chunk_on(0));
    (void)model.read(0, chunk_on(0));
    EXPECT_EQ(model.memory.misses(), 2u);
}

} // namespace
} // namespace teff::machine
