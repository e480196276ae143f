// SPDX-License-Identifier: Apache-2.0
#include "sync/ordered_turn.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace teff::sync {
namespace {

TEST(OrderedTurn, GoesThroughTheChunksInOrder) {
    constexpr unsigned kMembers = 6;
    constexpr std::uint64_t kChunks = 3000, kChunk = 3;
    OrderedTurn turn;
    turn.reset();
    std::atomic<std::uint64_t> next{0};
    std::vector<std::uint64_t> order; // guarded by the turn
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < kMembers; ++i)
        threads.emplace_back([&] {
            for (std::uint64_t chunk; (chunk = next.fetch_add(1)) < kChunks;) {
                turn.wait_for(chunk * kChunk, 5, 0, [] { return false; });
                order.push_back(chunk);
                turn.pass_to((chunk + 1) * kChunk);
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    ASSERT_EQ(order.size(), kChunks);
    for (std::uint64_t i = 0; i < kChunks; ++i)
        ASSERT_EQ(order[i], i);
}

TEST(OrderedTurn, WaiterGivesUpWhenTold) {
    OrderedTurn turn;
    turn.reset();
    std::atomic<bool> give_up{false};
    std::thread waiter([&] { turn.wait_for(9, 5, 1'000'000, [&] { return give_up.load(); }); });
    give_up = true; // nobody notifies the waiter: it looks again by itself
    waiter.join();
    EXPECT_FALSE(turn.has(9));
    EXPECT_TRUE(turn.has(0));
}

} // namespace
} // namespace teff::sync
