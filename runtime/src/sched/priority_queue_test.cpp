// SPDX-License-Identifier: Apache-2.0
#include "sched/priority_queue.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace teff::sched {
namespace {

constexpr auto kAllow = [](const Runnable*) { return true; };

struct Free {
    void operator()(PriorityQueue* queue) const { PriorityQueue::destroy(queue); }
};
using Queue = std::unique_ptr<PriorityQueue, Free>;

Queue make(std::uint32_t capacity) { return Queue(PriorityQueue::try_make(capacity)); }

struct Job : Runnable {
    Job(int level, std::uint64_t at) : position(at) { priority = level; }
    std::uint64_t position;
};

std::vector<Job> jobs_of(const std::vector<int>& priorities) {
    std::vector<Job> jobs;
    for (const int priority : priorities)
        jobs.emplace_back(priority, jobs.size());
    return jobs;
}

TEST(PriorityQueue, HigherPrioritiesComeFirstAndEqualOnesInTheirOrder) {
    const int huge = std::numeric_limits<int>::max();
    std::vector<Job> jobs = jobs_of({1, 5, huge, 5, 1, 64, 63, huge, 1'000'000, 64});
    Queue queue = make(16);
    for (Job& job : jobs)
        ASSERT_TRUE(queue->put(&job));
    std::vector<Job*> sorted;
    for (Job& job : jobs)
        sorted.push_back(&job);
    std::sort(sorted.begin(), sorted.end(), [](Job* a, Job* b) {
        return a->priority != b->priority ? a->priority > b->priority : a->position < b->position;
    });
    for (Job* expected : sorted) {
        EXPECT_EQ(queue->highest(), expected->priority);
        EXPECT_EQ(queue->take_highest_if(kAllow), expected);
    }
    EXPECT_EQ(queue->highest(), PriorityQueue::kNothing);
    EXPECT_EQ(queue->take_highest_if(kAllow), nullptr);
}

TEST(PriorityQueue, AFullOneSaysSoAndItsRoomComesBack) {
    Queue queue = make(3);
    std::vector<Job> jobs = jobs_of({1, 2, 3, 4});
    for (int round = 0; round < 10; ++round) {
        for (int i = 0; i < 3; ++i)
            ASSERT_TRUE(queue->put(&jobs[static_cast<std::size_t>(i)]));
        EXPECT_FALSE(queue->put(&jobs[3]));
        EXPECT_EQ(queue->highest(), 3);
        for (int i = 3; i > 0; --i)
            EXPECT_EQ(queue->take_highest_if(kAllow), &jobs[static_cast<std::size_t>(i - 1)]);
    }
}

TEST(PriorityQueue, WhatIsNotAllowedStays) {
    Queue queue = make(2);
    std::vector<Job> jobs = jobs_of({1, 2});
    for (Job& job : jobs)
        ASSERT_TRUE(queue->put(&job));
    EXPECT_EQ(queue->take_highest_if([](const Runnable*) { return false; }), nullptr);
    EXPECT_EQ(queue->take_highest_if([&](const Runnable* item) { return item == &jobs[0]; }), nullptr)
        << "only the highest level's oldest is asked about";
    EXPECT_EQ(queue->take_highest_if(kAllow), &jobs[1]);
}

// Compares with a plain list that is searched.
TEST(PriorityQueue, RandomUseAgreesWithAPlainList) {
    constexpr std::size_t kCapacity = 40;
    std::mt19937 random(7);
    Queue queue = make(kCapacity);
    std::vector<std::unique_ptr<Job>> all;
    std::vector<Job*> model; // in queue order
    const auto better = [](const Job* a, const Job* b) { return a->priority > b->priority; };
    for (int step = 0; step < 20'000; ++step) {
        const unsigned what = random() % 4;
        if (what < 2) {
            all.push_back(std::make_unique<Job>(static_cast<int>(random() % 12) + 1, all.size()));
            ASSERT_EQ(queue->put(all.back().get()), model.size() < kCapacity);
            if (model.size() < kCapacity) model.push_back(all.back().get());
        } else if (what == 2) {
            const auto best = std::min_element(model.begin(), model.end(), better); // the first of the best jobs
            Job* const expected = best == model.end() ? nullptr : *best;
            ASSERT_EQ(queue->take_highest_if(kAllow), expected);
            if (expected != nullptr) model.erase(best);
        } else {
            const std::size_t since = all.empty() ? 0 : all.size() - random() % std::min<std::size_t>(all.size(), 30);
            Job* expected = nullptr; // the last of the best jobs
            for (Job* job : model)
                if (job->position >= since && (expected == nullptr || job->priority >= expected->priority))
                    expected = job;
            const auto is_new = [since](const Runnable* item) {
                return static_cast<const Job*>(item)->position >= since;
            };
            ASSERT_EQ(queue->take_newest_if(is_new), expected);
            std::erase(model, expected);
        }
        int highest = PriorityQueue::kNothing;
        for (const Job* job : model)
            highest = std::max(highest, job->priority);
        ASSERT_EQ(queue->highest(), highest);
    }
}

TEST(PriorityQueue, EachTaskIsTakenOnceByOwnerAndThieves) {
    constexpr int kTasks = 20'000;
    Queue queue = make(64);
    std::vector<Job> jobs;
    for (int i = 0; i < kTasks; ++i)
        jobs.emplace_back(1 + i % 5, i);
    std::vector<std::atomic<int>> taken(kTasks);
    std::atomic<int> left{kTasks};
    const auto note = [&](Runnable* item) {
        if (item == nullptr) return;
        taken[static_cast<Job*>(item)->position].fetch_add(1);
        left.fetch_sub(1);
    };
    std::thread owner([&] {
        for (Job& job : jobs)
            while (!queue->put(&job))
                note(queue->take_newest_if(kAllow));
    });
    std::vector<std::thread> thieves;
    for (int i = 0; i < 3; ++i)
        thieves.emplace_back([&] {
            while (left.load() > 0)
                note(queue->take_highest_if(kAllow));
        });
    owner.join();
    for (std::thread& thief : thieves)
        thief.join();
    for (const std::atomic<int>& times : taken)
        ASSERT_EQ(times.load(), 1);
}

TEST(PriorityQueue, AForkedChildKeepsItUnlessItWasLocked) {
    Queue queue = make(4);
    Job job(3, 0);
    ASSERT_TRUE(queue->put(&job));
    queue->forget_other_threads();
    EXPECT_EQ(queue->highest(), 3);
    EXPECT_EQ(queue->take_highest_if([&](const Runnable*) {
        queue->forget_other_threads(); // the lock is held
        return false;
    }),
              nullptr);
    EXPECT_EQ(queue->highest(), PriorityQueue::kNothing);
}

TEST(PriorityQueue, WithinALevelTheLowestPlaceGoesFirst) {
    std::mt19937 random(7);
    for (int round = 0; round < 100; ++round) {
        Queue queue = make(64);
        std::vector<Job> jobs = jobs_of(std::vector<int>(64, 3));
        std::vector<std::pair<Place, Job*>> sorted;
        for (Job& job : jobs) {
            const Place place = 1 + random() % 16;
            ASSERT_TRUE(queue->put(&job, place));
            sorted.emplace_back(place, &job);
        }
        std::sort(sorted.begin(), sorted.end()); // jobs of the same place are put in the order of their addresses
        for (const auto& [place, job] : sorted) {
            EXPECT_EQ(queue->oldest(), place);
            EXPECT_EQ(queue->take_highest_if(kAllow), job);
            EXPECT_EQ(place_of(*job), place);
        }
        EXPECT_EQ(queue->oldest(), kLast);
    }
}

TEST(PriorityQueue, TheNewestOfOnePlaceIsFoundAmongOthers) {
    Queue queue = make(8);
    std::vector<Job> jobs = jobs_of({1, 1, 1, 2, 1});
    const Place places[] = {5, 3, 5, 5, 9};
    for (unsigned i = 0; i < 5; ++i)
        ASSERT_TRUE(queue->put(&jobs[i], places[i]));
    const auto no_second_level = [](const Runnable* item) { return item->priority == 1; };
    EXPECT_TRUE(queue->has_at(5, no_second_level));
    EXPECT_FALSE(queue->has_at(4, kAllow));
    EXPECT_EQ(queue->take_at_if(4, kAllow), nullptr);
    EXPECT_EQ(queue->take_at_if(5, no_second_level), &jobs[2]);
    EXPECT_EQ(queue->take_at_if(5, kAllow), &jobs[3]); // from the highest level
    EXPECT_EQ(queue->take_at_if(5, kAllow), &jobs[0]);
    EXPECT_EQ(queue->take_at_if(5, kAllow), nullptr);
    EXPECT_TRUE(queue->has_newest(kAllow, 1)); // jobs 1 and 4 are left
    EXPECT_FALSE(queue->has_newest([&](const Runnable* item) { return item == &jobs[1]; }, 1));
    EXPECT_TRUE(queue->has_newest([&](const Runnable* item) { return item == &jobs[1]; }, 2));
    ASSERT_TRUE(queue->put(&jobs[3], 1));
    EXPECT_TRUE(queue->has_newest([&](const Runnable* item) { return item == &jobs[4]; }, 1)); // of each level
}

TEST(PriorityQueue, AFullOneGrowsWhereItIsToldTo) {
    Queue queue = make(2);
    std::vector<Job> jobs = jobs_of(std::vector<int>(1000, 4));
    for (Job& job : jobs)
        job.priority = static_cast<int>(1 + job.position % 7);
    for (Job& job : jobs)
        ASSERT_TRUE(queue->put_growing(&job, job.position + 1));
    Job more(1, 0);
    EXPECT_FALSE(queue->put(&more)); // its capacity is unchanged
    int last = 8;
    std::uint64_t position = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        auto* const job = static_cast<Job*>(queue->take_highest_if(kAllow));
        ASSERT_NE(job, nullptr);
        EXPECT_TRUE(job->priority < last || job->position > position);
        last = job->priority;
        position = job->position;
    }
    EXPECT_EQ(queue->take_highest_if(kAllow), nullptr);
}

} // namespace
} // namespace teff::sched
