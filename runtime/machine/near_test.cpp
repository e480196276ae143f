// SPDX-License-Identifier: Apache-2.0
#include "machine/near.h"

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
    std::unique_ptr<mem::NearNodes> near = near_nodes(description, topology);
};

TEST(MachineNear, DistancesAreThoseOfTheMachine) {
    const Shipped opteron("opteron-performance");
    ASSERT_EQ(opteron.near->count, 8u);
    EXPECT_EQ(opteron.near->distance[0][0], 10);
    EXPECT_EQ(opteron.near->distance[0][1], 16);
    EXPECT_EQ(opteron.near->distance[0][3], 22);
    EXPECT_EQ(opteron.near->hops[0][3], 2);
}

TEST(MachineNear, ASpareTileIsNoNode) { EXPECT_EQ(Shipped("tilepro64").near->count, 63u); }

TEST(MachineNear, MoreNodesThanTheRuntimeKnowsAreNone) {
    Shipped opteron("opteron-performance");
    opteron.description.nodes = topo::NumaNodes::kMost + 1;
    EXPECT_EQ(near_nodes(opteron.description, opteron.topology), nullptr);
}

TEST(MachineNear, ATaskIsAtHomeWhereItsBytesAre) {
    const Shipped opteron("opteron-performance");
    const Program program = map(16, kMiB, 8);
    const auto homes_under = [&](Spreading spreading) {
        return homes(program, place(program, opteron.description, spreading), opteron.description, *opteron.near);
    };
    for (unsigned i = 0; i < 16; ++i) {
        EXPECT_EQ(homes_under(Spreading::coarse)[i], i % 8 + 1);
        EXPECT_EQ(homes_under(Spreading::fine)[i], sched::kNoHome); // they lie evenly
    }
}

// Each node has as many cores as tasks. Cores that would otherwise sleep take a few tasks of other
// nodes.
TEST(MachineNear, MostTasksRunAtHome) {
    const Shipped opteron("opteron-performance");
    const Program program = map(480, kMiB, 8);
    const auto at_home = [&](Schedule schedule) {
        const Outcome outcome = run(program, opteron.description, {schedule, Spreading::coarse});
        EXPECT_TRUE(outcome.complete);
        unsigned count = 0;
        for (unsigned i = 0; i < program.tasks.size(); ++i)
            count += outcome.runs[i].core / opteron.description.cores_per_node == i % 8;
        return count;
    };
    EXPECT_GT(at_home(Schedule::locality), 480u * 3 / 4);
    EXPECT_LT(at_home(Schedule::work_stealing), 480u / 4);
}

// The decisions are the same (sched/locality_test.cpp), but it takes time to check whether there
// are homes. The time of a single program depends on which words share a line by chance, so the
// test adds up several programs.
TEST(MachineNear, WithoutHomesItTakesAsLongAsWorkStealing) {
    const Shipped opteron("opteron-performance");
    const auto makespan = [&](Schedule schedule) {
        double sum = 0;
        for (unsigned tasks = 96; tasks <= 104; ++tasks) {
            const Program program = map(tasks, 64 * kKiB, 8);
            sum += static_cast<double>(run(program, opteron.description, {schedule, Spreading::coarse}).makespan);
        }
        return sum;
    };
    EXPECT_NEAR(makespan(Schedule::locality) / makespan(Schedule::work_stealing), 1, 0.05);
}

} // namespace
} // namespace teff::machine
