// SPDX-License-Identifier: Apache-2.0
#include "sched/central_queue.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <set>
#include <vector>

#include "icv/icv.h"
#include "mem/near_nodes.h"
#include "sched/policies.h"

namespace teff::sched {
namespace {

// Admits all tasks, or only the tasks in the list.
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

    Runnable* take(const Allow& allow = kAll) {
        return policy_.take(lane_, Waiter(allow), Look::kBrief, Sought::kOnTop);
    }

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

// Otherwise a member could sleep although a task further back may run on it.
TEST_F(CentralQueueTest, AThoroughLookFindsWhatLiesBehindARefusedTask) {
    Runnable items[2];
    items[0].priority = 7;
    for (Runnable& item : items)
        ASSERT_TRUE(policy_.put(lane_, &item));
    EXPECT_EQ(policy_.highest(), 7);
    struct {
        const Runnable* wanted;
        static bool constrained() { return false; }
        bool operator()(const Runnable* item) const { return item == wanted; }
    } const second{&items[1]};
    EXPECT_EQ(policy_.take(lane_, Waiter(second), Look::kBrief, Sought::kUnrelated), nullptr);
    EXPECT_EQ(policy_.take(lane_, Waiter(second), Look::kThorough, Sought::kUnrelated), &items[1]);
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

// With a policy that replaces the default, a lane's own queue is never opened.
TEST(Policies, EachNameHasItsPolicyAndTheFirstIsTheDefault) {
    constexpr unsigned kCount = std::size(icv::kSchedulePolicies);
    static Scheduler kept[kCount]; // never freed, as a team's policy
    static Lane lanes[kCount];
    for (unsigned number = 0; number < kCount; ++number) {
        ASSERT_TRUE(choose_policy(kept[number], number, 8)) << icv::kSchedulePolicies[number];
        ASSERT_TRUE(kept[number].open(lanes[number], 8));
        EXPECT_EQ(lanes[number].has_queue(), icv::kSchedulePolicies[number] != "central");
        const bool near_and_far = icv::kSchedulePolicies[number] == "locality" && mem::near_nodes().count > 1;
        EXPECT_EQ(kept[number].knows_homes(), near_and_far) << icv::kSchedulePolicies[number];
    }
}

} // namespace
} // namespace teff::sched
