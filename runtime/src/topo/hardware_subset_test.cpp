// SPDX-License-Identifier: Apache-2.0
#include "topo/hardware_subset.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "topo/machine_files.h"

namespace teff::topo {
namespace {

using Numbers = std::vector<unsigned>;

// Two sockets of two nodes of two cores of two threads: processor 8 + n is on the core of
// processor n.
class HardwareSubsetOf : public testing::Test, protected MachineFiles {
  protected:
    void build(bool with_dies) {
        for (unsigned cpu = 0; cpu < 16; ++cpu) {
            const unsigned core = cpu % 8;
            const std::string base = "cpu/cpu" + std::to_string(cpu) + "/topology/";
            write(base + "core_cpus_list", std::to_string(core) + "," + std::to_string(core + 8));
            if (with_dies) write(base + "die_cpus_list", of_node(core / 2));
            write(base + "package_cpus_list", core / 4 == 0 ? "0-3,8-11" : "4-7,12-15");
        }
        write("node/online", "0-3");
        for (unsigned node = 0; node < 4; ++node)
            write("node/node" + std::to_string(node) + "/cpulist", of_node(node));
    }

    Numbers kept(std::string_view text, const char* allowed = "0-15") {
        HardwareSubset subset;
        EXPECT_EQ(read_hardware_subset(text, subset).expected, nullptr) << text;
        ProcessorSet processors = *parse_processor_list(allowed);
        shortage_ = keep_subset(subset, root(), processors);
        Numbers result;
        for (unsigned at = processors.next(0); at < ProcessorSet::kCapacity; at = processors.next(at + 1))
            result.push_back(at);
        return result;
    }

    std::optional<Shortage> shortage_;

  private:
    static std::string of_node(unsigned node) {
        const unsigned first = node * 2;
        return std::to_string(first) + "-" + std::to_string(first + 1) + "," + std::to_string(first + 8) + "-" +
               std::to_string(first + 9);
    }
};

TEST_F(HardwareSubsetOf, UnitsAreCountedInTheUnitAboveThem) {
    build(false);
    EXPECT_EQ(kept("1s"), (Numbers{0, 1, 2, 3, 8, 9, 10, 11}));
    EXPECT_EQ(kept("1c"), (Numbers{0, 4, 8, 12}));
    EXPECT_EQ(kept("1t"), (Numbers{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(kept("1s,2c,1t"), (Numbers{0, 1}));
    EXPECT_EQ(kept("1T x 2C x 1S"), (Numbers{0, 1})) << "the order does not matter";
    EXPECT_EQ(kept("1s@1,2c@1,1t@1"), (Numbers{13, 14}));
    EXPECT_EQ(kept("1so1,2core@1,1threads@1"), (Numbers{13, 14})) << "an old form of @";
}

TEST_F(HardwareSubsetOf, ALayerWithoutACountIsWhole) {
    build(false);
    EXPECT_EQ(kept("s,*c,1t"), (Numbers{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(kept("c@3"), (Numbers{3, 7, 11, 15}));
}

TEST_F(HardwareSubsetOf, NodesAndCachesCountOnlyIfTheyAreNamed) {
    build(false);
    EXPECT_EQ(kept("1s,1n"), (Numbers{0, 1, 8, 9}));
    EXPECT_EQ(kept("1numa_domain@1,1c,1t"), (Numbers{2, 6}));
    EXPECT_EQ(kept("2c,1t"), (Numbers{0, 1, 4, 5})) << "two cores of each socket";
}

TEST_F(HardwareSubsetOf, CoresAreCountedInADieIfThereAreDies) {
    build(true);
    EXPECT_EQ(kept("1c,1t"), (Numbers{0, 2, 4, 6}));
    EXPECT_EQ(kept("1s,1d@1,1t"), (Numbers{2, 3}));
}

TEST_F(HardwareSubsetOf, AfterAColonOnlyNamedLayersExist) {
    build(true);
    EXPECT_EQ(kept(":3t@2"), (Numbers{2, 3, 4}));
    EXPECT_EQ(kept(":5c,1t"), (Numbers{0, 1, 2, 3, 4}));
    EXPECT_EQ(kept(":1s@1,3t"), (Numbers{4, 5, 6}));
    EXPECT_EQ(kept(":20t"), kept("2s")) << "as many as there are";
    EXPECT_FALSE(shortage_.has_value());
    EXPECT_EQ(kept(":1t@16"), Numbers{});
}

TEST_F(HardwareSubsetOf, ProcessorsThatTheProcessMayNotUseDoNotExist) {
    build(false);
    EXPECT_EQ(kept("1s,1c", "3,6-7,11,14"), (Numbers{3, 11}));
    EXPECT_EQ(kept("1s@1,1t", "3,6-7,11,14"), (Numbers{6, 7}));
}

TEST_F(HardwareSubsetOf, MoreThanThereIsCannotBeHad) {
    build(false);
    const struct {
        const char* text;
        const char* layer;
        unsigned needed, present;
    } cases[] = {{"3s", "sockets", 3, 2}, {"5c", "cores", 5, 4}, {"2c@3", "cores", 5, 4}, {"1c,3t", "threads", 3, 2}};
    for (const auto& wanted : cases) {
        EXPECT_EQ(kept(wanted.text).size(), 16u) << wanted.text;
        ASSERT_TRUE(shortage_.has_value()) << wanted.text;
        EXPECT_EQ(shortage_->layer, wanted.layer) << wanted.text;
        EXPECT_EQ(shortage_->needed, wanted.needed) << wanted.text;
        EXPECT_EQ(shortage_->present, wanted.present) << wanted.text;
    }
    EXPECT_EQ(kept("c@9"), Numbers{});
}

TEST(HardwareSubset, TextThatIsNotValidHasAPlace) {
    const struct {
        const char* text;
        std::size_t at;
    } cases[] = {{"", 0},       {"foo", 0},           {"0c", 0},    {"1", 1},      {"1c,", 3},
                 {"1c,1c", 4},  {"1c@", 3},           {"1c@x", 3},  {"1l2", 1},    {"1tile", 1},
                 {"9999c", 0},  {"1c:intel_core", 2}, {"1s 1c", 3}, {"1s;1c", 2},  {"::1t", 1},
                 {"1c@1@1", 4}, {"1s,1c,1tt", 7},     {"-1c", 0},   {"1c@9999", 3}};
    for (const auto& wrong : cases) {
        HardwareSubset subset;
        const TextProblem problem = read_hardware_subset(wrong.text, subset);
        EXPECT_NE(problem.expected, nullptr) << wrong.text;
        EXPECT_EQ(problem.at, wrong.at) << wrong.text;
    }
}

} // namespace
} // namespace teff::topo
