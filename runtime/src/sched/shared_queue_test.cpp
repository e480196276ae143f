// SPDX-License-Identifier: Apache-2.0
#include "sched/shared_queue.h"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace teff::sched {
namespace {

constexpr auto kAllow = [](const Runnable*) { return true; };

struct Job : Runnable {
    Job(int level, int n) : number(n) { priority = level; }
    int number;
};

// The numbers of all jobs, in the order in which the queue hands them out.
std::vector<int> drain(SharedQueue& queue) {
    std::vector<int> order;
    while (Runnable* item = queue.take_if(kAllow))
        order.push_back(static_cast<Job*>(item)->number);
    return order;
}

std::vector<int> order_of(std::vector<Job>& jobs) {
    SharedQueue queue;
    for (Job& job : jobs)
        queue.put(&job);
    return drain(queue);
}

TEST(SharedQueue, EmptyHandsOutNothing) {
    SharedQueue queue;
    EXPECT_TRUE(queue.looks_empty());
    EXPECT_EQ(queue.highest(), 0);
    EXPECT_EQ(queue.take_if(kAllow), nullptr);
}

TEST(SharedQueue, HigherPrioritiesComeFirstAndEqualOnesInTheirOrder) {
    std::vector<Job> jobs{{0, 0}, {5, 1}, {63, 2}, {5, 3}, {0, 4}, {1, 5}, {63, 6}};
    EXPECT_EQ(order_of(jobs), (std::vector<int>{2, 6, 1, 3, 5, 0, 4}));
}

TEST(SharedQueue, PrioritiesBeyondTheLevelsStaySorted) {
    std::vector<Job> jobs{{63, 0}, {1'000, 1}, {64, 2}, {2'147'483'647, 3}, {1'000, 4}, {62, 5}, {63, 6}, {64, 7}};
    EXPECT_EQ(order_of(jobs), (std::vector<int>{3, 1, 4, 2, 7, 0, 6, 5}));
}

TEST(SharedQueue, AnyOrderOfPuttingComesOutStablySorted) {
    std::vector<int> levels{0, 1, 63, 64, 65};
    do {
        std::vector<Job> jobs;
        for (int copy = 0; copy < 2; ++copy)
            for (const int level : levels)
                jobs.emplace_back(level, static_cast<int>(jobs.size()));
        std::vector<int> expected(jobs.size());
        for (std::size_t i = 0; i < expected.size(); ++i)
            expected[i] = static_cast<int>(i);
        std::sort(expected.begin(), expected.end(), [&](int a, int b) {
            const int left = jobs[static_cast<std::size_t>(a)].priority,
                      right = jobs[static_cast<std::size_t>(b)].priority;
            return left != right ? left > right : a < b;
        });
        ASSERT_EQ(order_of(jobs), expected);
    } while (std::next_permutation(levels.begin(), levels.end()));
}

TEST(SharedQueue, OnlyAllowedItemsAreTaken) {
    std::vector<Job> jobs{{2, 0}, {2, 1}, {2, 2}, {1, 3}, {0, 4}};
    SharedQueue queue;
    for (Job& job : jobs)
        queue.put(&job);
    const auto take = [&](int number) {
        return queue.take_if([=](const Runnable* item) { return static_cast<const Job*>(item)->number == number; });
    };
    EXPECT_EQ(take(9), nullptr);
    EXPECT_EQ(take(1), &jobs[1]); // from the middle of its level
    EXPECT_EQ(take(2), &jobs[2]); // the last of its level
    EXPECT_EQ(take(4), &jobs[4]); // this empties a level
    EXPECT_EQ(queue.highest(), 2);
    queue.put(&jobs[2]);
    EXPECT_EQ(drain(queue), (std::vector<int>{0, 2, 3}));
    EXPECT_TRUE(queue.looks_empty());
}

TEST(SharedQueue, TellsItsHighestLevel) {
    Job plain(0, 0), urgent(1, 1);
    SharedQueue queue;
    queue.put(&plain);
    EXPECT_FALSE(queue.looks_empty());
    EXPECT_EQ(queue.highest(), 0);
    queue.put(&urgent);
    EXPECT_EQ(queue.highest(), 1);
    EXPECT_EQ(queue.take_if(kAllow), &urgent);
    EXPECT_EQ(queue.highest(), 0);
    EXPECT_EQ(queue.take_if(kAllow), &plain);
    EXPECT_TRUE(queue.looks_empty());
}

TEST(SharedQueue, ThreadsTakeEachItemOnce) {
    constexpr int kThreads = 4, kEach = 10'000;
    SharedQueue queue;
    std::vector<std::vector<Job>> jobs(kThreads);
    std::vector<std::atomic<int>> taken(kThreads * kEach);
    std::atomic<int> left{kThreads * kEach};
    std::vector<std::thread> threads;
    for (int me = 0; me < kThreads; ++me)
        threads.emplace_back([&, me] {
            auto& mine = jobs[static_cast<std::size_t>(me)];
            mine.reserve(kEach);
            for (int i = 0; i < kEach; ++i) {
                mine.emplace_back(i % 70, me * kEach + i);
                queue.put(&mine.back());
            }
            while (left.load() > 0) {
                Runnable* item = queue.take_if(kAllow);
                if (item == nullptr) continue;
                taken[static_cast<std::size_t>(static_cast<Job*>(item)->number)].fetch_add(1);
                left.fetch_sub(1);
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_TRUE(std::all_of(taken.begin(), taken.end(), [](const auto& count) { return count.load() == 1; }));
    EXPECT_TRUE(queue.looks_empty());
}

} // namespace
} // namespace teff::sched
