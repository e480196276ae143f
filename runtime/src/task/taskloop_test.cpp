// SPDX-License-Identifier: Apache-2.0
#include "task/taskloop.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>

namespace teff::task {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

// Returns the number of iterations, computed without a loop over the tasks.
std::uint64_t total(const TaskloopSplit& split) {
    return split.larger_tasks * split.larger_size + (split.tasks - split.larger_tasks) * split.smaller_size;
}

void expect_in_order(const TaskloopSplit& split, std::uint64_t iterations) {
    std::uint64_t sum = 0;
    for (std::uint64_t task = 0; task < split.tasks; ++task) {
        ASSERT_EQ(split.first_of(task), sum);
        sum += split.size_of(task);
    }
    ASSERT_EQ(sum, iterations);
    ASSERT_EQ(total(split), iterations);
    ASSERT_LE(split.larger_tasks, split.tasks);
}

TEST(SplitByTasks, SmallNumbersExhaustively) {
    for (std::uint64_t iterations = 1; iterations <= 60; ++iterations)
        for (std::uint64_t tasks = 1; tasks <= 70; ++tasks) {
            const TaskloopSplit split = split_by_tasks(iterations, tasks);
            expect_in_order(split, iterations);
            ASSERT_EQ(split.tasks, std::min(tasks, iterations));
            for (std::uint64_t task = 0; task < split.tasks; ++task) {
                ASSERT_GE(split.size_of(task), iterations / split.tasks);
                ASSERT_LE(split.size_of(task), iterations / split.tasks + 1);
                if (task == 0) continue;
                ASSERT_LE(split.size_of(task), split.size_of(task - 1));
            }
        }
}

TEST(SplitByGrainsize, SmallNumbersExhaustively) {
    for (std::uint64_t iterations = 1; iterations <= 60; ++iterations)
        for (std::uint64_t grainsize = 1; grainsize <= 70; ++grainsize) {
            const TaskloopSplit split = split_by_grainsize(iterations, grainsize, false);
            expect_in_order(split, iterations);
            for (std::uint64_t task = 0; task < split.tasks; ++task) {
                ASSERT_GE(split.size_of(task), std::min(grainsize, iterations));
                ASSERT_LT(split.size_of(task), 2 * grainsize);
            }
        }
}

TEST(SplitByGrainsize, StrictExhaustively) {
    for (std::uint64_t iterations = 1; iterations <= 60; ++iterations)
        for (std::uint64_t grainsize = 1; grainsize <= 70; ++grainsize) {
            const TaskloopSplit split = split_by_grainsize(iterations, grainsize, true);
            expect_in_order(split, iterations);
            ASSERT_EQ(split.tasks, (iterations + grainsize - 1) / grainsize);
            for (std::uint64_t task = 0; task + 1 < split.tasks; ++task)
                ASSERT_EQ(split.size_of(task), grainsize);
            ASSERT_GE(split.size_of(split.tasks - 1), 1u);
            ASSERT_LE(split.size_of(split.tasks - 1), grainsize);
        }
}

TEST(TaskloopSplit, ZeroCountsAsOne) {
    EXPECT_EQ(split_by_tasks(10, 0).tasks, 1u);
    EXPECT_EQ(split_by_grainsize(10, 0, false).tasks, 10u);
    EXPECT_EQ(split_by_grainsize(10, 0, true).tasks, 10u);
}

TEST(TaskloopSplit, NoIterationsAreNotLost) {
    EXPECT_EQ(total(split_by_tasks(0, 4)), 0u);
    EXPECT_EQ(total(split_by_grainsize(0, 4, false)), 0u);
    EXPECT_EQ(total(split_by_grainsize(0, 4, true)), 0u);
}

TEST(TaskloopSplit, TheLargestNumbersDoNotOverflow) {
    for (const std::uint64_t iterations : {kMost, kMost - 1, kMost / 2 + 1})
        for (const std::uint64_t number : {std::uint64_t{1}, std::uint64_t{3}, kMost / 2, kMost - 1, kMost}) {
            const TaskloopSplit by_tasks = split_by_tasks(iterations, number);
            EXPECT_EQ(total(by_tasks), iterations);
            EXPECT_EQ(by_tasks.tasks, std::min(iterations, number));
            const TaskloopSplit loose = split_by_grainsize(iterations, number, false);
            EXPECT_EQ(total(loose), iterations);
            EXPECT_GE(loose.size_of(loose.tasks - 1), std::min(iterations, number));
            const TaskloopSplit strict = split_by_grainsize(iterations, number, true);
            EXPECT_EQ(total(strict), iterations);
            EXPECT_EQ(strict.tasks, iterations / number + (iterations % number != 0));
        }
}

} // namespace
} // namespace teff::task
