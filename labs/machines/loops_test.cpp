// SPDX-License-Identifier: Apache-2.0
#include "machines/loops.h"

#include <gtest/gtest.h>

namespace teff::machine {
namespace {

Description machine_of(const char* name) { return *read_description(std::string(TEFF_MACHINES) + name).description; }

enum { kStatic, kStealing, kAffinity, kAffinityGuided };

TEST(MachineLoops, AffinityKeepsIterationsBesideTheirData) {
    for (const char* const machine : {"opteron-performance.machine", "server.machine"}) {
        const auto costs = loop_costs(machine_of(machine), {.count = 640, .operations = 1000});
        EXPECT_EQ(costs[kStatic].local, 1);
        EXPECT_LT(costs[kStealing].local, 0.6);
        EXPECT_GT(costs[kAffinity].local, 0.9);
        EXPECT_GT(costs[kAffinityGuided].local, 0.9);
        EXPECT_LT(costs[kAffinity].cycles, costs[kStealing].cycles) << machine;
    }
}

// In spite of the locality, no core waits for a slow half of the loop.
TEST(MachineLoops, AffinityEvensOutWhatStaticDoesNot) {
    const auto costs =
        loop_costs(machine_of("opteron-performance.machine"), {.count = 960, .operations = 400000, .slower = 4});
    EXPECT_LT(costs[kAffinity].cycles, 0.8 * costs[kStatic].cycles);
    EXPECT_LT(costs[kAffinity].cycles, 1.05 * costs[kStealing].cycles);
}

} // namespace
} // namespace teff::machine
