// SPDX-License-Identifier: Apache-2.0
//
// Tests of the search itself: the search counts executions correctly, respects its bounds, and can
// repeat an execution that it found.

#include "explore/explore.h"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>

namespace teff::explore {
namespace {

using std::memory_order_relaxed;

// `threads` threads, each with `operations` read-modify-writes: each of them is one step.
std::function<Program()> counters(int threads, int operations) {
    return [=] {
        auto count = std::make_shared<atomic<int>>(0);
        auto body = [=] {
            for (int i = 0; i < operations; ++i)
                count->fetch_add(1, memory_order_relaxed);
        };
        return Program(std::vector<std::function<void()>>(static_cast<std::size_t>(threads), body),
                       [=] { EXPLORE_CHECK(count->load() == threads * operations); });
    };
}

TEST(Search, CountsAllInterleavings) {
    struct Case {
        int threads, operations;
        std::uint64_t interleavings; // (threads * operations)! / operations! ^ threads
    };
    for (const Case& each :
         {Case{1, 5, 1}, Case{2, 1, 2}, Case{2, 2, 6}, Case{2, 5, 252}, Case{3, 2, 90}, Case{4, 1, 24}}) {
        const Result result = run(counters(each.threads, each.operations), {.preemptions = unbounded});
        EXPECT_TRUE(result.passed()) << result;
        EXPECT_TRUE(result.exhaustive);
        EXPECT_EQ(result.executions, each.interleavings)
            << each.threads << " threads, " << each.operations << " operations";
    }
}

TEST(Search, CountsInterleavingsWithinTheBoundOnPreemptions) {
    // Two threads of n operations. Without a preemption there are 2 orders. One preemption gives 2
    // (n - 1) more: either thread is first and is interrupted at one of n - 1 places, and then the
    // other one runs to its end.
    const Result none = run(counters(2, 5), {.preemptions = 0});
    EXPECT_EQ(none.executions, 2u);
    EXPECT_TRUE(none.complete);
    EXPECT_FALSE(none.exhaustive);
    EXPECT_EQ(run(counters(2, 5), {.preemptions = 1}).executions, 2u + 2u * 4u);
}

TEST(Search, CountsTheFlushesOfStoreBuffers) {
    // One relaxed store and one relaxed load in each thread, on different objects x and y. The
    // steps of thread 1 are S1 (into the buffer), L1 and F1 (flush), F1 after S1 and L1 after S1. A
    // flush matters only to the other thread, so F1 comes not directly before L1. The 20 orders of
    // S1 L1 F1 and S2 L2 F2 that keep each thread's own S, L, F sequence, and those where F1 comes
    // before L1 with something of thread 2 between; counted here by brute force.
    std::uint64_t expected = 0;
    struct Machine {
        int stored = 0, loaded = 0, flushed = 0;
    };
    std::function<void(Machine, Machine, int)> count = [&](Machine one, Machine two, int flushed_last) {
        auto over = [](const Machine& m) { return m.loaded + m.flushed == 2; };
        if (over(one) && over(two)) {
            ++expected;
            return;
        }
        auto steps_of = [&](Machine self, Machine other, int number, auto go_on) {
            const bool operation_left = self.loaded == 0;
            const bool others_can_follow = other.loaded == 0 || other.stored > other.flushed;
            const bool someone_else = others_can_follow || self.stored > self.flushed;
            if (operation_left && !(flushed_last == number && someone_else)) {
                Machine next = self;
                (next.stored == 0 ? next.stored : next.loaded) = 1;
                go_on(next, 0);
            }
            if (self.stored > self.flushed && (others_can_follow || !operation_left)) {
                Machine next = self;
                next.flushed = 1;
                go_on(next, number);
            }
        };
        steps_of(one, two, 1, [&](Machine next, int flushed) { count(next, two, flushed); });
        steps_of(two, one, 2, [&](Machine next, int flushed) { count(one, next, flushed); });
    };
    count({}, {}, 0);

    const Result result = run(
        [] {
            auto x = std::make_shared<atomic<int>>(0), y = std::make_shared<atomic<int>>(0);
            return Program({[=] {
                                x->store(1, memory_order_relaxed);
                                (void)y->load(memory_order_relaxed);
                            },
                            [=] {
                                y->store(1, memory_order_relaxed);
                                (void)x->load(memory_order_relaxed);
                            }});
        },
        {.preemptions = unbounded});
    EXPECT_TRUE(result.exhaustive);
    EXPECT_EQ(result.executions, expected);
}

std::function<Program()> lost_update() {
    return [] {
        auto count = std::make_shared<atomic<int>>(0);
        name(*count, "count");
        auto body = [=] { count->store(count->load() + 1); };
        return Program({body, body}, [=] { EXPLORE_CHECK(count->load() == 2); });
    };
}

TEST(Search, ReportsTheSimplestFailureAsReadableSteps) {
    const Result result = run(lost_update());
    EXPECT_EQ(result.outcome, Outcome::check_failed);
    EXPECT_NE(result.message.find("count->load() == 2"), std::string::npos) << result;
    EXPECT_EQ(result.schedule, "1221");
    EXPECT_EQ(result.trace, "  T1    count.load(seq_cst) = 0\n"
                            "  T2    count.load(seq_cst) = 0\n"
                            "  T2    count.store(1, seq_cst)\n"
                            "  T1    count.store(1, seq_cst)\n"
                            "  main  count.load(seq_cst) = 1\n");
}

TEST(Search, ReplaysASchedule) {
    const Result found = run(lost_update());
    const Result again = run(lost_update(), {.preemptions = 0, .replay = found.schedule});
    EXPECT_EQ(again.executions, 1u);
    EXPECT_EQ(again.trace, found.trace);
    EXPECT_EQ(again.message, found.message);
    EXPECT_TRUE(run(lost_update(), {.replay = "1122"}).passed());
    EXPECT_EQ(run(lost_update(), {.replay = "1113"}).outcome, Outcome::not_repeatable);
}

TEST(Search, NoticesATestThatIsNotRepeatable) {
    int executions = 0;
    const Result result = run([&] { return counters(2, ++executions == 1 ? 3 : 1)(); });
    EXPECT_EQ(result.outcome, Outcome::not_repeatable);
}

TEST(Search, StopsAtTheLimitOfExecutions) {
    const Result result = run(counters(3, 5), {.preemptions = unbounded, .max_executions = 100});
    EXPECT_TRUE(result.passed());
    EXPECT_EQ(result.executions, 100u);
    EXPECT_FALSE(result.complete);
}

TEST(Search, StopsAnExecutionThatDoesNotEnd) {
    const Result result = run([] {
        auto flag = std::make_shared<atomic<int>>(0);
        return Program({[=] {
            while (flag->load() == 0) {
            }
        }});
    });
    EXPECT_EQ(result.outcome, Outcome::too_long);
}

TEST(Search, CountsExecutionsPerSecond) {
    const auto start = std::chrono::steady_clock::now();
    const Result result = run(counters(2, 9), {.preemptions = unbounded}); // 18 steps, 48,620 interleavings
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    EXPECT_EQ(result.executions, 48'620u);
    RecordProperty("executions_per_second", static_cast<int>(static_cast<double>(result.executions) / took.count()));
}

} // namespace
} // namespace teff::explore
