// SPDX-License-Identifier: Apache-2.0
//
// Tests how many cache lines each barrier moves, which is known by arithmetic, and which of two
// barriers takes longer.
#include "machines/barriers.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace teff::machine {
namespace {

Description load(const char* name) {
    const Parsed parsed = read_description(std::string(TEFF_MACHINES) + name);
    EXPECT_TRUE(parsed.description) << parsed.error;
    return *parsed.description;
}

BarrierCost find(const std::vector<BarrierCost>& costs, const std::string& name, bool of_runtime) {
    const auto found = std::find_if(costs.begin(), costs.end(), [&](const BarrierCost& each) {
        return each.name == name && each.of_runtime == of_runtime;
    });
    EXPECT_NE(found, costs.end()) << name;
    return *found;
}

unsigned steps_of(unsigned cores) {
    unsigned steps = 0;
    while (1u << steps < cores)
        ++steps;
    return steps;
}

class BarrierLines : public testing::TestWithParam<const char*> {};

// Each arrival gets the counter's line, and each member except the opener gets the phase's line.
// The opener gets the phase's line once more. An opener that was the last to arrive still has the
// counter's line when it resets the counter.
TEST_P(BarrierLines, TheCentralBarrierMovesTwoForEachMember) {
    const Description machine = load(GetParam());
    for (const unsigned cores : core_counts(machine)) {
        const double transfers = find(barrier_costs(machine, cores), "central", true).transfers;
        EXPECT_GE(transfers, 2 * cores - 1) << cores;
        EXPECT_LE(transfers, 2 * cores) << cores;
    }
}

// The same within groups. In addition, each group counts once at the top, and moves the lines of
// its counter and of its word.
TEST_P(BarrierLines, TheCombiningBarrierMovesTwoForEachMemberAndSomeForEachGroup) {
    const Description machine = load(GetParam());
    const unsigned fan_in = std::clamp(machine.cores_per_node, 4u, 8u);
    for (const unsigned cores : core_counts(machine)) {
        const unsigned groups = (cores + fan_in - 1) / fan_in;
        const double transfers = find(barrier_costs(machine, cores), "combining", true).transfers;
        EXPECT_GE(transfers, 2 * cores - groups) << cores;
        EXPECT_LE(transfers, 2 * cores + 3 * groups) << cores;
    }
}

// In each step, each word's line moves to its writer and back.
TEST_P(BarrierLines, DisseminationMovesTwoForEachMemberAndStep) {
    const Description machine = load(GetParam());
    for (const unsigned cores : core_counts(machine)) {
        const double transfers = find(barrier_costs(machine, cores), "dissemination", false).transfers;
        EXPECT_EQ(transfers, 2.0 * cores * steps_of(cores)) << cores;
    }
}

TEST_P(BarrierLines, AChainMovesFourForEachNeighbours) {
    const Description machine = load(GetParam());
    const unsigned cores = core_counts(machine).back();
    EXPECT_EQ(find(barrier_costs(machine, cores), "cpb", false).transfers, 4.0 * (cores - 1));
}

INSTANTIATE_TEST_SUITE_P(Machines, BarrierLines, testing::Values("opteron-performance.machine", "server.machine"));

// The expected times follow from the machine's latencies, for 48 arrivals: 48 atomic operations on
// one line take about 12,000 cycles; 6 on a nearby line and 8 on a distant line take about 2,700.
// Times are virtual, and the same in each run.
TEST(BarrierTimes, AtManyNodesCentralAndCombiningTakeWhatTheirAtomicsTake) {
    const auto costs = barrier_costs(load("opteron-performance.machine"), 48);
    EXPECT_NEAR(find(costs, "central", true).cycles, 12'000, 2'000);
    EXPECT_NEAR(find(costs, "combining", true).cycles, 2'700, 700);
}

// A small team has no additional cost for groups: if there is only one group, its members count at
// the top.
TEST(BarrierTimes, InOneGroupCombiningTakesWhatCentralTakes) {
    for (const char* const name : {"opteron-performance.machine", "server.machine"}) {
        const auto costs = barrier_costs(load(name), 4);
        EXPECT_NEAR(find(costs, "combining", true).cycles, find(costs, "central", true).cycles, 10) << name;
    }
}

TEST(BarrierTimes, DisseminationIsTheFastestAndAChainTheSlowestOfThoseWithoutSharedFlags) {
    const auto costs = barrier_costs(load("opteron-performance.machine"), 48);
    const double fastest = find(costs, "dissemination", false).cycles;
    for (const BarrierCost& each : costs)
        EXPECT_LE(fastest, each.cycles) << each.name;
    EXPECT_GT(find(costs, "cpb", false).cycles, find(costs, "mcs", false).cycles);
}

TEST(BarrierTimes, AChainGrowsWithItsLength) {
    const Description machine = load("server.machine");
    const double short_chain = find(barrier_costs(machine, 8), "cpb", false).cycles;
    const double long_chain = find(barrier_costs(machine, 16), "cpb", false).cycles;
    EXPECT_NEAR(long_chain / short_chain, 15.0 / 7.0, 0.2);
}

} // namespace
} // namespace teff::machine
