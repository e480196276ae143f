// SPDX-License-Identifier: Apache-2.0
#include "topo/numa_nodes.h"

#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

#include "topo/machine_files.h"

namespace teff::topo {
namespace {

class Numa : public testing::Test, protected MachineFiles {
  protected:
    NumaNodes read() const {
        NumaNodes nodes;
        read_numa_nodes(root(), nodes);
        return nodes;
    }

    void write_node(unsigned number, const std::string& processors, const std::string& distances) {
        const std::string base = "node/node" + std::to_string(number);
        write(base + "/cpulist", processors);
        if (!distances.empty()) write(base + "/distance", distances);
    }
};

// Four Opteron 6172, wired for bandwidth: eight nodes of six processors, two per package, 16 to
// those that a link reaches and 22 to the others. Firmware has left gaps between the numbers.
class Opteron : public Numa {
  protected:
    Opteron() {
        write("node/online", "0-2,33-34,45,72-73");
        write("node/has_memory", "0-2,33-34,45,72-73");
        for (unsigned from = 0; from < 8; ++from) {
            std::string line;
            for (unsigned to = 0; to < 8; ++to)
                line += (to == 0 ? "" : " ") + std::to_string(distance(from, to));
            write_node(kNumbers[from], std::to_string(6 * from) + "-" + std::to_string(6 * from + 5), line);
        }
    }

    static unsigned distance(unsigned from, unsigned to) {
        static const std::set<std::pair<unsigned, unsigned>> kLinks = {{0, 1}, {0, 2}, {0, 4}, {0, 6}, {1, 3}, {1, 4},
                                                                       {1, 7}, {2, 3}, {2, 4}, {2, 5}, {2, 6}, {2, 7},
                                                                       {3, 4}, {3, 5}, {4, 5}, {4, 6}, {5, 7}, {6, 7}};
        if (from == to) return 10;
        return kLinks.contains(std::minmax(from, to)) ? 16 : 22;
    }

    static constexpr unsigned kNumbers[] = {0, 1, 2, 33, 34, 45, 72, 73};
};

TEST_F(Opteron, NodesGoByIndexWhateverTheirNumbers) {
    const NumaNodes nodes = read();
    ASSERT_EQ(nodes.count, 8u);
    for (unsigned node = 0; node < 8; ++node) {
        EXPECT_EQ(nodes.number[node], kNumbers[node]);
        EXPECT_EQ(nodes.index_of(kNumbers[node]), node);
    }
    EXPECT_EQ(nodes.index_of(3), NumaNodes::kMost);
}

TEST_F(Opteron, DistancesAreThoseOfTheTable) {
    const NumaNodes nodes = read();
    for (unsigned from = 0; from < 8; ++from)
        for (unsigned to = 0; to < 8; ++to)
            EXPECT_EQ(nodes.distance[from][to], distance(from, to)) << from << " to " << to;
}

TEST_F(Opteron, ProcessorsBelongToTheirNode) {
    const NumaNodes nodes = read();
    for (unsigned cpu = 0; cpu < 48; ++cpu)
        EXPECT_EQ(nodes.nearest[cpu], cpu / 6) << cpu;
}

TEST_F(Opteron, ProcessorsOfANodeWithoutMemoryGoToTheNearestOneWithSome) {
    write("node/has_memory", "0-2,33-34,72-73"); // not 45, linked to 2, 33, 34 and 73
    const NumaNodes nodes = read();
    ASSERT_EQ(nodes.count, 7u);
    EXPECT_EQ(nodes.index_of(45), NumaNodes::kMost);
    for (unsigned cpu = 30; cpu < 36; ++cpu)
        EXPECT_EQ(nodes.number[nodes.nearest[cpu]], 2u) << cpu;
    EXPECT_EQ(nodes.number[nodes.nearest[36]], 72u);
    EXPECT_EQ(nodes.distance[nodes.index_of(2)][nodes.index_of(73)], 16u); // the line still has eight numbers
}

TEST_F(Numa, AKernelWithoutNodesHasOne) {
    const NumaNodes nodes = read();
    EXPECT_EQ(nodes.count, 1u);
    EXPECT_EQ(nodes.number[0], 0u);
    EXPECT_EQ(nodes.distance[0][0], 10u);
    EXPECT_EQ(nodes.nearest[5], 0u);
}

TEST_F(Numa, DistancesThatMakeNoSenseAreSupposed) {
    for (const char* const line : {"", "10", "10 x", "10 9", "10 20 30", "10 300"}) {
        write("node/online", "0-1");
        write_node(0, "0", line);
        write_node(1, "1", "21 10");
        const NumaNodes nodes = read();
        ASSERT_EQ(nodes.count, 2u) << line;
        EXPECT_EQ(nodes.distance[0][1], 20u) << line;
        EXPECT_EQ(nodes.distance[1][0], 20u) << line;
        EXPECT_EQ(nodes.distance[1][1], 10u) << line;
    }
}

TEST_F(Numa, AsymmetricDistancesStayAsTheyAre) {
    write("node/online", "0-1");
    write_node(0, "0", "10 17");
    write_node(1, "1", "28 10");
    const NumaNodes nodes = read();
    EXPECT_EQ(nodes.distance[0][1], 17u);
    EXPECT_EQ(nodes.distance[1][0], 28u);
}

TEST_F(Numa, MoreNodesThanAreToldApartAreLeftOut) {
    write("node/online", "0-99");
    EXPECT_EQ(read().count, NumaNodes::kMost);
    write("node/online", "2000-2001");
    EXPECT_EQ(read().count, 1u);
}

TEST_F(Numa, ThisMachineHasAtLeastOne) {
    const NumaNodes& nodes = numa_nodes();
    ASSERT_GE(nodes.count, 1u);
    for (unsigned node = 0; node < nodes.count; ++node)
        EXPECT_EQ(nodes.distance[node][node], 10u);
}

} // namespace
} // namespace teff::topo
