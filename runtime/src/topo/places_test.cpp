// SPDX-License-Identifier: Apache-2.0
#include "topo/places.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "topo/machine_files.h"

namespace teff::topo {
namespace {

using Places = std::vector<std::vector<unsigned>>;

class Machine : public testing::Test, protected MachineFiles {
  protected:
    // Two sockets of two nodes of two cores of two threads. The threads of a core are 8 apart; each
    // node shares a cache of level 3.
    void build_two_sockets() {
        for (unsigned cpu = 0; cpu < 16; ++cpu) {
            const unsigned core = cpu % 8, node = core / 2, socket = core / 4;
            const std::string base = "cpu/cpu" + std::to_string(cpu);
            write(base + "/topology/core_cpus_list", std::to_string(core) + "," + std::to_string(core + 8));
            write(base + "/topology/package_cpus_list", socket == 0 ? "0-3,8-11" : "4-7,12-15");
            write(base + "/cache/index0/level", "1");
            write(base + "/cache/index0/shared_cpu_list", std::to_string(cpu));
            write(base + "/cache/index1/level", "3");
            write(base + "/cache/index1/shared_cpu_list", of_node(node));
            write(base + "/cache/index2/level", "2");
            write(base + "/cache/index2/shared_cpu_list", std::to_string(core) + "," + std::to_string(core + 8));
        }
        write("node/online", "0-4");
        for (unsigned node = 0; node < 4; ++node)
            write("node/node" + std::to_string(node) + "/cpulist", of_node(node));
        write("node/node4/cpulist", ""); // memory alone
    }

    static std::string of_node(unsigned node) {
        const unsigned first = node * 2;
        return std::to_string(first) + "-" + std::to_string(first + 1) + "," + std::to_string(first + 8) + "-" +
               std::to_string(first + 9);
    }

    Places places(Level level, const char* allowed = "0-15", unsigned limit = PlaceList::kLimit) const {
        PlaceList list;
        append_level(level, *parse_processor_list(allowed), limit, root(), list);
        Places result(list.size());
        for (unsigned i = 0; i < list.size(); ++i)
            for (unsigned at = list[i].next(0); at < ProcessorSet::kCapacity; at = list[i].next(at + 1))
                result[i].push_back(at);
        return result;
    }
};

TEST_F(Machine, EveryLevelFollowsTheKernelsFiles) {
    build_two_sockets();
    EXPECT_EQ(places(Level::threads).size(), 16u);
    EXPECT_EQ(places(Level::threads)[9], (std::vector<unsigned>{9}));
    EXPECT_EQ(places(Level::cores), (Places{{0, 8}, {1, 9}, {2, 10}, {3, 11}, {4, 12}, {5, 13}, {6, 14}, {7, 15}}));
    const Places nodes = {{0, 1, 8, 9}, {2, 3, 10, 11}, {4, 5, 12, 13}, {6, 7, 14, 15}};
    EXPECT_EQ(places(Level::numa_domains), nodes);
    EXPECT_EQ(places(Level::ll_caches), nodes) << "the highest level counts, not the last file";
    EXPECT_EQ(places(Level::sockets), (Places{{0, 1, 2, 3, 8, 9, 10, 11}, {4, 5, 6, 7, 12, 13, 14, 15}}));
}

TEST_F(Machine, OnlyAllowedProcessorsCount) {
    build_two_sockets();
    EXPECT_EQ(places(Level::cores, "3,8-9"), (Places{{3}, {8}, {9}}));
    EXPECT_EQ(places(Level::sockets, "5,9"), (Places{{5}, {9}}));
    EXPECT_EQ(places(Level::numa_domains, "0-1,15"), (Places{{0, 1}, {15}}));
    EXPECT_TRUE(places(Level::cores, "").empty());
}

TEST_F(Machine, ALimitTakesTheFirst) {
    build_two_sockets();
    EXPECT_EQ(places(Level::cores, "0-15", 2), (Places{{0, 8}, {1, 9}}));
    EXPECT_EQ(places(Level::sockets, "0-15", 9).size(), 2u);
}

TEST_F(Machine, OldKernelsUseOtherNames) {
    write("cpu/cpu0/topology/thread_siblings_list", "0-1");
    write("cpu/cpu1/topology/thread_siblings_list", "0-1");
    write("cpu/cpu0/topology/core_siblings_list", "0-2");
    EXPECT_EQ(places(Level::cores, "0-2"), (Places{{0, 1}, {2}}));
    EXPECT_EQ(places(Level::sockets, "0-2"), (Places{{0, 1, 2}}));
}

TEST_F(Machine, WhatIsNotToldMakesPlacesOfOne) {
    EXPECT_EQ(places(Level::cores, "0-1"), (Places{{0}, {1}}));
    EXPECT_EQ(places(Level::ll_caches, "0-1"), (Places{{0}, {1}}));
    EXPECT_EQ(places(Level::numa_domains, "0-1"), (Places{{0, 1}})) << "without nodes there is one memory";
    write("cpu/cpu0/topology/core_cpus_list", "nonsense");
    write("cpu/cpu1/topology/core_cpus_list", "0"); // not even itself
    EXPECT_EQ(places(Level::cores, "0-1"), (Places{{0}, {1}}));
}

} // namespace
} // namespace teff::topo
