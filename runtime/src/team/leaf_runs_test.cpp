// SPDX-License-Identifier: Apache-2.0
#include "team/leaf_runs.h"

#include <gtest/gtest.h>

namespace teff::team {
namespace {

void one(void*) {}
void other(void*) {}

LeafRuns with_leaves(LeafRuns::Function function, unsigned runs = LeafRuns::kEnough) {
    LeafRuns leaves;
    for (unsigned i = 0; i < runs; ++i)
        leaves.note(function, true);
    return leaves;
}

TEST(LeafRunsTest, AFunctionIsBelievedAfterManyRuns) {
    LeafRuns leaves = with_leaves(one, LeafRuns::kEnough - 1);
    EXPECT_FALSE(leaves.begin_calls(one));
    EXPECT_FALSE(leaves.any_calls());
    leaves.note(one, true);
    EXPECT_FALSE(leaves.begin_calls(other));
    EXPECT_TRUE(leaves.begin_calls(one));
    for (unsigned i = 0; i < LeafRuns::kInPlace; ++i) {
        ASSERT_TRUE(leaves.any_calls());
        EXPECT_TRUE(leaves.take_call(one));
    }
    EXPECT_FALSE(leaves.any_calls()) << "the queue is tried again";
    EXPECT_TRUE(leaves.begin_calls(one));
}

TEST(LeafRunsTest, AnotherFunctionEndsTheCalls) {
    LeafRuns leaves = with_leaves(one);
    ASSERT_TRUE(leaves.begin_calls(one));
    EXPECT_FALSE(leaves.take_call(other));
    EXPECT_FALSE(leaves.any_calls());
}

TEST(LeafRunsTest, ASchedulingPointMakesItForget) {
    LeafRuns leaves = with_leaves(one);
    leaves.note(one, false);
    EXPECT_FALSE(leaves.begin_calls(one));
    leaves = with_leaves(one);
    ASSERT_TRUE(leaves.begin_calls(one));
    leaves.forget();
    EXPECT_FALSE(leaves.any_calls());
    EXPECT_FALSE(leaves.begin_calls(one));
}

} // namespace
} // namespace teff::team
