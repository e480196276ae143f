// SPDX-License-Identifier: Apache-2.0
#include "machines/relations.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace teff::machine {
namespace {

Description shipped(const char* name) {
    return *read_description(std::string(TEFF_MACHINES) + name + ".machine").description;
}

Experiments quick() { return {shipped("opteron-performance"), shipped("tilepro64"), 1, true}; }

const Relation& find(const std::vector<Relation>& all, const char* id) {
    return *std::find_if(all.begin(), all.end(), [&](const Relation& r) { return r.id == id; });
}

// The results are counts and orders in virtual time, so they are the same on every machine.
TEST(MachineRelations, TheThesissOrdersComeOut) {
    const auto all = quick().judge();
    for (const char* const id : {"O1", "O3", "O4", "O7", "P1"})
        EXPECT_TRUE(find(all, id).holds()) << id;
    EXPECT_LT(find(all, "P1").clauses[0].ratio, 0.5);
    // Vecmul gains from the first increases of the vicinity, because three rounds become two.
    for (const unsigned i : {0u, 1u, 2u})
        EXPECT_TRUE(find(all, "P2").clauses[i].holds) << find(all, "P2").clauses[i].text;
}

TEST(MachineRelations, WhereOtherNodesCostNothingMoreLocalityGainsNothing) {
    Description flat = shipped("opteron-performance");
    flat.memory = {.own = 138 * kCycle, .sibling = 138 * kCycle, .remote = 138 * kCycle, .hop = 0};
    for (Link& link : flat.links)
        link.per_line = 0;
    Experiments experiments(flat, shipped("tilepro64"), 1, true);
    const Time near = experiments.time("map", {Schedule::thesis_hops, Spreading::coarse});
    const Time anywhere = experiments.time("map", {Schedule::work_stealing, Spreading::coarse});
    EXPECT_NEAR(static_cast<double>(near) / static_cast<double>(anywhere), 1.0, 0.05);
}

// It has a large effect which cores are awake when a task becomes ready: the times form two groups.
// So the test uses the median of many runs.
TEST(MachineRelations, TheRuntimesOwnLocalityGainsWhereDataAreCoarse) {
    Experiments experiments(shipped("opteron-performance"), shipped("tilepro64"), 15, true);
    const Time near = experiments.time("map", {Schedule::locality, Spreading::coarse});
    const Time anywhere = experiments.time("map", {Schedule::work_stealing, Spreading::coarse});
    EXPECT_LT(near, anywhere * 9 / 10);
}

TEST(MachineRelations, EachCostCanBeScaledAndChangesATime) {
    Experiments experiments = quick();
    const auto times = [](Experiments& which) {
        std::vector<Time> all;
        for (const Trial& trial :
             {Trial{Schedule::work_stealing, Spreading::fine}, Trial{Schedule::thesis_hops, Spreading::coarse}})
            for (const char* const program : {"map", "reduction"})
                all.push_back(which.time(program, trial));
        return all;
    };
    const auto before = times(experiments);
    for (const Cost& cost : costs()) {
        Experiments doubled = experiments.scaled(cost, 2);
        EXPECT_NE(times(doubled), before) << cost.name;
    }
}

TEST(MachineRelations, ATwiceAsFarMemoryTakesLonger) {
    Experiments experiments = quick();
    Experiments farther = experiments.scaled(costs()[0], 2);
    const Trial trial{Schedule::work_stealing, Spreading::fine};
    EXPECT_GT(farther.time("tiles map", trial), experiments.time("tiles map", trial) * 3 / 2);
}

} // namespace
} // namespace teff::machine
