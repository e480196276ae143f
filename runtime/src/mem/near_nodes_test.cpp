// SPDX-License-Identifier: Apache-2.0
#include "mem/near_nodes.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace teff::mem {
namespace {

// Five nodes in a row, of two processors each, numbered 10, 11, 12, ... The distance grows by 6 for
// each step, and is 1 more in the opposite direction.
class Row : public testing::Test {
  protected:
    Row() {
        machine_->count = 5;
        for (unsigned from = 0; from < 5; ++from) {
            machine_->number[from] = static_cast<std::uint16_t>(10 + from);
            for (unsigned to = 0; to < 5; ++to)
                machine_->distance[from][to] =
                    static_cast<std::uint8_t>(10 + (from < to ? 6 * (to - from) : 6 * (from - to) + (from != to)));
            machine_->nearest[2 * from] = machine_->nearest[2 * from + 1] = static_cast<std::uint8_t>(from);
        }
    }

    const NearNodes& among(const std::vector<unsigned>& numbers) {
        Nodes usable;
        usable.count = 0;
        for (const unsigned number : numbers)
            usable.add(number);
        arrange(*machine_, usable, *near_);
        return *near_;
    }
    std::vector<unsigned> order(unsigned from) const {
        const auto& row = near_->by_distance[from];
        return {row.begin(), row.begin() + near_->count};
    }

    std::unique_ptr<topo::NumaNodes> machine_ = std::make_unique<topo::NumaNodes>();
    std::unique_ptr<NearNodes> near_ = std::make_unique<NearNodes>();
};

TEST_F(Row, TheNearestComesFirstAndANodeIsNearestToItself) {
    among({10, 11, 12, 13, 14});
    EXPECT_EQ(order(0), (std::vector<unsigned>{0, 1, 2, 3, 4}));
    EXPECT_EQ(order(4), (std::vector<unsigned>{4, 3, 2, 1, 0}));
    EXPECT_EQ(order(2), (std::vector<unsigned>{2, 3, 1, 4, 0}));
}

TEST_F(Row, HopsRankTheDistancesThatOccur) {
    const NearNodes& near = among({10, 11, 12});
    EXPECT_EQ(near.hops[1][1], 0);
    EXPECT_EQ(near.hops[0][1], 1); // 16
    EXPECT_EQ(near.hops[1][0], 2); // 17
    EXPECT_EQ(near.hops[0][2], 3); // 22
    EXPECT_EQ(near.hops[2][0], 4); // 23
}

TEST_F(Row, NodesThatTheProcessMayNotUseAreLeftOut) {
    const NearNodes& near = among({11, 14});
    ASSERT_EQ(near.count, 2u);
    EXPECT_EQ(near.distance[0][1], 28);
    EXPECT_EQ(near.distance[1][0], 29);
    const std::vector<unsigned> nearest = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1}; // node 13 is one step from 14
    for (unsigned processor = 0; processor < nearest.size(); ++processor)
        EXPECT_EQ(near.of_processor[processor], nearest[processor]) << processor;
}

TEST_F(Row, EqualNodesAreLookedAtFromTheNextOneOn) {
    for (auto& row : machine_->distance)
        row.fill(20);
    for (unsigned node = 0; node < 5; ++node)
        machine_->distance[node][node] = 10;
    among({10, 11, 12, 13});
    EXPECT_EQ(order(2), (std::vector<unsigned>{2, 3, 0, 1}));
}

TEST(NearNodes, ThisProcessRunsOnOneOfItsNodes) { EXPECT_LT(node_of_caller(), near_nodes().count); }

} // namespace
} // namespace teff::mem
