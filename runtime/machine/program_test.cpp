// SPDX-License-Identifier: Apache-2.0
#include "machine/program.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

#include "machine/placed.h"

namespace teff::machine {
namespace {

constexpr std::uint64_t kKiB = 1024, kMiB = kKiB * kKiB;

Description shipped(const std::string& name) {
    return *read_description(TEFF_MACHINES + name + ".machine").description;
}

std::uint64_t sum(const std::vector<std::uint64_t>& values) {
    return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

TEST(MachineProgram, ReadersComeAfterTheWriterAndTheNextWriterAfterThem) {
    Program program{.name = "p"};
    const std::uint32_t x = program.add_whole(64), y = program.add_whole(64);
    program.tasks = {{0, {{x, Mode::out}}},                   // 0
                     {0, {{x, Mode::in}}},                    // 1 after 0
                     {0, {{x, Mode::order}, {y, Mode::out}}}, // 2 after 0
                     {0, {{x, Mode::inout}}},                 // 3 after 0, 1, 2
                     {0, {{x, Mode::touch}}},                 // 4 after none
                     {0, {{x, Mode::in}, {y, Mode::in}}}};    // 5 after 2, 3
    const Order order = order_of(program);
    EXPECT_EQ(order.unmet, (std::vector<std::uint32_t>{0, 1, 1, 3, 0, 2}));
    EXPECT_EQ(order.successors[0], (std::vector<std::uint32_t>{1, 2, 3}));
    EXPECT_EQ(order.successors[2], (std::vector<std::uint32_t>{3, 5}));
    EXPECT_TRUE(order.successors[4].empty());
}

TEST(MachineProgram, TheProgramsHaveTheTasksOfTheWorkloads) {
    EXPECT_EQ(map(48, kMiB, 8).tasks.size(), 48u);
    EXPECT_EQ(vecmul(128, 28 * kKiB, 4).allocations.size(), 384u);
    EXPECT_EQ(matmul(4096, 128).tasks.size(), 1024u);
    EXPECT_EQ(jacobi(2048, 512, 3).tasks.size(), 3u * 16);
    EXPECT_EQ(reduction(kMiB, 6, 8).tasks.size(), 63u);
    EXPECT_EQ(sparselu(8, 16, 8).tasks.size(), 62u); // as workloads/sparselu --variant depend counts them
}

TEST(MachineProgram, AMergeReadsTwoRunsAndMakesOneOfTheirLength) {
    const Program program = reduction(700 * kKiB, 6, 4);
    for (const TaskSpec& task : program.tasks) {
        ASSERT_EQ(task.uses.size(), 3u);
        EXPECT_EQ(program.extents[task.uses[0].extent].bytes() + program.extents[task.uses[1].extent].bytes(),
                  program.extents[task.uses[2].extent].bytes());
    }
    EXPECT_EQ(program.extents[program.tasks.back().uses[2].extent].bytes(), 700 * kKiB);
    EXPECT_EQ(order_of(program).unmet[62], 2u); // but the first level none
    EXPECT_EQ(order_of(program).unmet[0], 0u);
}

TEST(MachineProgram, AnInnerBlockOfThePlateNamesItselfAndFourOthers) {
    const Program program = jacobi(2048, 512, 2);
    const Order order = order_of(program);
    EXPECT_EQ(order.unmet[16 + 5], 5u); // in the second iteration, row 1, column 1
    EXPECT_EQ(order.unmet[16], 3u);     // a corner
    EXPECT_EQ(order.unmet[5], 0u);
}

// ---- Where the data lie.

TEST(MachinePlaced, CoarseDealsOutAllocations) {
    const Program program = map(48, kMiB, 8);
    const Placed placed = place(program, shipped("opteron-performance"), Spreading::coarse);
    for (unsigned i = 0; i < 48; ++i) {
        EXPECT_EQ(placed.bytes_on[i][i % 8], kMiB) << i;
        EXPECT_EQ(sum(placed.bytes_on[i]), kMiB) << i;
        EXPECT_EQ(placed.chunks[i].size(), 16u);
    }
}

TEST(MachinePlaced, FineDealsOutPages) {
    const Placed placed = place(map(2, kMiB, 8), shipped("opteron-performance"), Spreading::fine);
    for (unsigned node = 0; node < 8; ++node)
        EXPECT_EQ(placed.bytes_on[1][node], kMiB / 8);
    const Chunk& chunk = placed.chunks[0][0];
    EXPECT_EQ(chunk.bytes, 64 * kKiB);
    ASSERT_EQ(chunk.parts.size(), 8u);
    EXPECT_EQ(chunk.parts[0].lines, 2u * 4096 / 64);
}

TEST(MachinePlaced, InterleavedAllocationsBeginBehindAHeader) {
    const Placed placed = place(map(2, kMiB, 8), shipped("opteron-performance"), Spreading::interleave);
    EXPECT_EQ(sum(placed.bytes_on[0]), kMiB);
    EXPECT_EQ(placed.bytes_on[0][0], kMiB / 8); // 16 bytes less of its first page, and more of its last
    EXPECT_EQ(placed.chunks[0][0].parts.size(), 8u);
    const auto& second = placed.bytes_on[1];
    EXPECT_EQ(sum(second), kMiB);
}

TEST(MachinePlaced, StandardLiesWhereItWasTouchedFirst) {
    const Placed placed = place(map(3, kMiB, 8), shipped("opteron-performance"), Spreading::standard);
    EXPECT_EQ(placed.bytes_on[2][0], kMiB);
}

TEST(MachinePlaced, TilesDealOutLinesAndLeaveTheSpareOneOut) {
    const Description tiles = shipped("tilepro64");
    const Placed placed = place(map(2, 63 * 64 * 8, 4), tiles, Spreading::standard); // which is fine there
    for (unsigned tile = 0; tile < 63; ++tile)
        EXPECT_EQ(placed.bytes_on[1][tile], 64u * 8) << tile;
    EXPECT_EQ(placed.bytes_on[1][63], 0u);
    const Placed coarse = place(map(64, 32 * kKiB, 4), tiles, Spreading::coarse);
    EXPECT_EQ(coarse.bytes_on[62][62], 32 * kKiB);
    EXPECT_EQ(coarse.bytes_on[63][0], 32 * kKiB);
}

TEST(MachinePlaced, RowsOfAPlateLieAPageApart) {
    // A row of a block is a page, and 32 pages are a row of the plate. So a column of blocks lies
    // on one node.
    const Program program = jacobi(16384, 512, 1);
    const Placed placed = place(program, shipped("opteron-performance"), Spreading::fine);
    for (const std::uint32_t block : {0u, 33u, 70u}) {
        const auto& bytes = placed.bytes_on[program.tasks[block].uses[0].extent];
        EXPECT_EQ(sum(bytes), 2 * kMiB);
        EXPECT_EQ(*std::max_element(bytes.begin(), bytes.end()), 2 * kMiB);
    }
}

TEST(MachinePlaced, NoByteIsLost) {
    for (const Spreading spreading : {Spreading::standard, Spreading::fine, Spreading::coarse, Spreading::interleave})
        for (const Program& program : {reduction(700 * kKiB, 6, 4), sparselu(8, 36, 4), jacobi(256, 64, 1)}) {
            const Placed placed = place(program, shipped("tilepro64"), spreading);
            for (std::size_t i = 0; i < program.extents.size(); ++i) {
                EXPECT_EQ(sum(placed.bytes_on[i]), program.extents[i].bytes()) << program.name << " " << i;
                std::uint64_t bytes = 0;
                for (const Chunk& chunk : placed.chunks[i])
                    bytes += chunk.bytes;
                EXPECT_EQ(bytes, program.extents[i].bytes());
            }
        }
}

} // namespace
} // namespace teff::machine
