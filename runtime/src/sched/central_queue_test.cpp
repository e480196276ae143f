// SPDX-License-Identifier: Apache-2.0
#include "sched/central_queue.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <set>
#include <vector>

#include "icv/icv.h"
#include "sched/policy.h"

namespace teff::sched {
namespace {

// What a waiter may run: all, or what is in the list.
struct Allow {
    bool bound = false;
    std::set<const Runnable*> list = {};
    bool constrained() const { return bound; }
    bool operator()(const Runnable* item) const { return !bound || list.contains(item); }
};
const Allow kAll;

class CentralQueueTest : public testing::Test {
  protected:
    ~CentralQueueTest() override { std::free(queue_); }

    Runnable* take(const Allow& allow = kAll) { return policy_.take(lane_, Waiter(allow), Look::kBrief); }

    PriorityQueue* queue_ = PriorityQueue::try_make(4);
    CentralQueueOver<base::RealAtomics> policy_{queue_};
    Lane lane_;
};

TEST_F(CentralQueueTest, TheOldestOfTheHighestPriorityComesFirst) {
    Runnable items[4];
    items[1].priority = items[2].priority = 7;
    for (Runnable& item : items)
        ASSERT_TRUE(policy_.put(lane_, &item));
    for (const int number : {1, 2, 0, 3})
        EXPECT_EQ(take(), &items[number]);
    EXPECT_EQ(take(), nullptr);
    EXPECT_TRUE(policy_.looks_drained());
}

TEST_F(CentralQueueTest, AConstrainedWaiterGetsTheNewestThatItHasProofOf) {
    Runnable items[4];
    for (Runnable& item : items)
        ASSERT_TRUE(policy_.put(lane_, &item));
    const Allow two{.bound = true, .list = {&items[0], &items[2]}};
    EXPECT_EQ(take(two), &items[2]);
    EXPECT_EQ(take(two), &items[0]);
    EXPECT_EQ(take(two), nullptr);
    EXPECT_EQ(take(), &items[1]);
}

TEST_F(CentralQueueTest, WhatHasNoRoomIsRefusedFromALaneAndKeptFromAnywhere) {
    Runnable items[6];
    for (int i = 0; i < 4; ++i)
        ASSERT_TRUE(policy_.put(lane_, &items[i]));
    EXPECT_FALSE(policy_.put(lane_, &items[4]));
    policy_.put_anywhere(&items[5]);
    EXPECT_EQ(take(Allow{.bound = true, .list = {&items[5]}}), &items[5]);
    policy_.put_anywhere(&items[5]);
    for (const int number : {0, 1, 2, 3, 5})
        EXPECT_EQ(take(), &items[number]);
    EXPECT_TRUE(policy_.looks_drained());
}

TEST(Policies, EachNameHasItsPolicyAndTheFirstIsTheDefault) {
    EXPECT_EQ(make_policy(0, 8), nullptr);
    static Policy* kept[std::size(icv::kSchedulePolicies)]; // as a team keeps its policy: for ever
    for (unsigned number = 1; number < std::size(kept); ++number) {
        kept[number] = make_policy(number, 8);
        EXPECT_NE(kept[number], nullptr) << icv::kSchedulePolicies[number];
    }
}

} // namespace
} // namespace teff::sched
