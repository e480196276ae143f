// SPDX-License-Identifier: Apache-2.0
#include "sync/mutex.h"

#include <atomic>
#include <functional>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace teff::sync {
namespace {

static_assert(sizeof(Mutex) == 4, "the program's locks have four bytes");

void on_threads(int threads, const std::function<void(int)>& body) {
    std::vector<std::thread> all;
    for (int i = 0; i < threads; ++i)
        all.emplace_back(body, i);
    for (std::thread& thread : all)
        thread.join();
}

TEST(Mutex, SixteenThreadsExcludeEachOther) {
    constexpr int kThreads = 16, kRounds = 5'000;
    Mutex mutex;
    long sum = 0; // plain: a lost addition shows a missing exclusion; ThreadSanitizer reports a missing order
    std::atomic<int> inside{0};
    std::atomic<bool> crowded{false};
    on_threads(kThreads, [&](int) {
        for (int round = 0; round < kRounds; ++round) {
            const MutexGuard guard(mutex);
            if (inside.fetch_add(1, std::memory_order_relaxed) != 0) crowded = true;
            if (round % 512 == 0) std::this_thread::yield(); // other threads queue up and go to sleep
            ++sum;
            inside.fetch_sub(1, std::memory_order_relaxed);
        }
    });
    EXPECT_EQ(sum, long{kThreads} * kRounds);
    EXPECT_FALSE(crowded);
}

// Takes the lock if it is free, and gives it back. Returns true if it was free.
bool try_once(Mutex& mutex) {
    const bool taken = mutex.try_lock();
    if (taken) mutex.unlock();
    return taken;
}

TEST(Mutex, TryLockTakesAFreeLockOnly) {
    Mutex mutex;
    bool while_held = true, while_free = false;
    {
        const MutexGuard guard(mutex);
        std::thread([&] { while_held = try_once(mutex); }).join();
    }
    std::thread([&] { while_free = try_once(mutex); }).join();
    EXPECT_FALSE(while_held);
    EXPECT_TRUE(while_free);
    EXPECT_TRUE(try_once(mutex));
}

TEST(Mutex, TryLockAmongLockersExcludes) {
    constexpr int kThreads = 8, kRounds = 5'000;
    Mutex mutex;
    long sum = 0, tries = 0;
    std::atomic<long> successes{0};
    on_threads(kThreads, [&](int number) {
        for (int round = 0; round < kRounds; ++round) {
            if (number % 2 == 0) {
                const MutexGuard guard(mutex);
                ++sum;
            } else if (mutex.try_lock()) {
                ++tries;
                mutex.unlock();
                successes.fetch_add(1, std::memory_order_relaxed);
            }
        }
    });
    EXPECT_EQ(sum, long{kThreads} / 2 * kRounds);
    EXPECT_EQ(tries, successes.load());
}

} // namespace
} // namespace teff::sync
