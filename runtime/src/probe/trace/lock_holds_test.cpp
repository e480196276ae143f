// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/lock_holds.h"

#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace teff::probe::trace {
namespace {

// Some addresses of locks, which are never dereferenced.
const void* lock(std::size_t number) { return reinterpret_cast<const void*>(0x1000 + 4 * number); }

LockHold hold(std::uint64_t task) { return {.had = 10 * task, .waited = task, .task = task, .call_site = nullptr}; }

class LockHoldsTest : public testing::Test {
  protected:
    // The task that has taken the lock; 0 if none has.
    std::uint64_t end(const void* of) {
        LockHold found;
        return holds_->end(of, found) ? found.task : 0;
    }

    std::unique_ptr<LockHolds> holds_ = std::make_unique<LockHolds>();
};

TEST_F(LockHoldsTest, GivesBackWhatBegan) {
    ASSERT_TRUE(holds_->begin(lock(1), hold(7)));
    LockHold found;
    ASSERT_TRUE(holds_->end(lock(1), found));
    EXPECT_EQ(found.had, 70u);
    EXPECT_EQ(found.waited, 7u);
    EXPECT_EQ(found.task, 7u);
}

TEST_F(LockHoldsTest, AHoldEndsOnce) {
    ASSERT_TRUE(holds_->begin(lock(1), hold(7)));
    EXPECT_EQ(end(lock(1)), 7u);
    EXPECT_EQ(end(lock(1)), 0u);
}

TEST_F(LockHoldsTest, KnowsNothingOfOtherLocks) {
    ASSERT_TRUE(holds_->begin(lock(1), hold(7)));
    EXPECT_EQ(end(lock(2)), 0u);
}

TEST_F(LockHoldsTest, HoldsEndInAnyOrder) {
    for (std::uint64_t i = 1; i <= 3; ++i)
        ASSERT_TRUE(holds_->begin(lock(i), hold(i)));
    EXPECT_EQ(end(lock(2)), 2u);
    EXPECT_EQ(end(lock(1)), 1u);
    EXPECT_EQ(end(lock(3)), 3u);
}

TEST_F(LockHoldsTest, ManyMayBeHeldAtOnce) {
    constexpr std::size_t kMany = 20'000;
    for (std::size_t i = 1; i <= kMany; ++i)
        ASSERT_TRUE(holds_->begin(lock(i), hold(i)));
    for (std::size_t i = 1; i <= kMany; ++i)
        ASSERT_EQ(end(lock(i)), i);
}

TEST_F(LockHoldsTest, AHoldOfTheSameLockReplacesOneWithoutEnd) {
    ASSERT_TRUE(holds_->begin(lock(1), hold(7)));
    ASSERT_TRUE(holds_->begin(lock(1), hold(8)));
    EXPECT_EQ(end(lock(1)), 8u);
    EXPECT_EQ(end(lock(1)), 0u);
}

TEST_F(LockHoldsTest, ForgetsALockThatIsMadeAnew) {
    ASSERT_TRUE(holds_->begin(lock(1), hold(7)));
    holds_->forget(lock(1));
    EXPECT_EQ(end(lock(1)), 0u);
}

// Under ThreadSanitizer: the owner takes locks all the time, and another thread gives them back.
TEST_F(LockHoldsTest, AnotherThreadMayEndAHold) {
    constexpr std::uint64_t kRounds = 20'000, kLocks = 64;
    std::vector<std::atomic<bool>> taken(kLocks);
    std::uint64_t ended = 0;
    std::thread other([&] {
        for (std::uint64_t i = 0; i < kRounds; ++i) {
            std::atomic<bool>& flag = taken[i % kLocks];
            while (!flag.load(std::memory_order_acquire))
                std::this_thread::yield();
            ended += end(lock(i % kLocks)) == i + 1;
            flag.store(false, std::memory_order_release);
        }
    });
    for (std::uint64_t i = 0; i < kRounds; ++i) {
        std::atomic<bool>& flag = taken[i % kLocks];
        while (flag.load(std::memory_order_acquire))
            std::this_thread::yield();
        (void)holds_->begin(lock(i % kLocks), hold(i + 1));
        flag.store(true, std::memory_order_release);
    }
    other.join();
    EXPECT_EQ(ended, kRounds);
}

} // namespace
} // namespace teff::probe::trace
