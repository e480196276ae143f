// SPDX-License-Identifier: Apache-2.0
//
// Tests the arithmetic of the schedules, with simulated members that take their chunks in a
// pseudo-random order.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "loop/schedules.h"
#include "loop/stealing_schedule.h"
#include "loop/takers.h"

namespace teff::loop {
namespace {

constexpr std::uint64_t kMost = ~std::uint64_t{0};

void expect_monotonic(const std::vector<std::vector<Span>>& taken) {
    for (const auto& spans : taken)
        for (std::size_t i = 1; i < spans.size(); ++i)
            ASSERT_GE(spans[i].first, spans[i - 1].last);
}

// Calls `check(count, chunk, members)` for all small loops.
void for_small_loops(const std::function<void(std::uint64_t, std::uint64_t, unsigned)>& check) {
    for (unsigned members = 1; members <= 8; ++members)
        for (std::uint64_t count = 0; count <= 40; ++count)
            for (std::uint64_t chunk = 1; chunk <= 11; chunk += 2)
                check(count, chunk, members);
}

Take static_taker(std::uint64_t count, std::uint64_t chunk, unsigned members) {
    return [=, trips = std::vector<std::uint64_t>(members)](unsigned member, Span& span) mutable {
        return static_take(count, chunk, members, member, trips[member], span);
    };
}

// A loop with the stealing schedule, with its own counter and batches.
struct Stealing {
    Stealing(std::uint64_t iterations, std::uint64_t chunk_size, unsigned team)
        : count(iterations), chunk(chunk_size), members(team), batches(new Batch[team]) {}

    bool take(unsigned member, Span& span) {
        if (has_had_last == member) return false; // as in loop.cpp
        StealingSchedule schedule(next, batches.get(), count_chunks(count, chunk), members);
        std::uint64_t number;
        if (!schedule.take(member, number)) return false;
        if (schedule.is_last(number)) has_had_last = member;
        span = chunk_span(count, chunk, number);
        return true;
    }

    std::uint64_t count, chunk;
    unsigned members;
    std::atomic<std::uint64_t> next{0};
    std::unique_ptr<Batch[]> batches;
    unsigned has_had_last = ~0u;
};

TEST(StaticSchedule, EachIterationOnceInOrder) {
    for_small_loops([](std::uint64_t count, std::uint64_t chunk, unsigned members) {
        for (const std::uint64_t size : {chunk, std::uint64_t{0}}) {
            const auto taken = run(members, static_taker(count, size, members), 1);
            expect_each_once(count, taken);
            expect_monotonic(taken);
        }
    });
}

TEST(StaticSchedule, BlocksDifferByOneAtMostAndTheLongerComeFirst) {
    EXPECT_EQ(static_block(10, 4, 0), (Span{0, 3}));
    EXPECT_EQ(static_block(10, 4, 1), (Span{3, 6}));
    EXPECT_EQ(static_block(10, 4, 2), (Span{6, 8}));
    EXPECT_EQ(static_block(10, 4, 3), (Span{8, 10}));
    EXPECT_EQ(static_block(2, 4, 3), (Span{2, 2}));
}

TEST(StaticSchedule, ChunksGoRound) {
    EXPECT_EQ(static_chunk(10, 2, 3, 1, 0), (Span{2, 4}));
    EXPECT_EQ(static_chunk(10, 2, 3, 1, 1), (Span{8, 10}));
    EXPECT_EQ(static_chunk(10, 2, 3, 1, 2), (Span{}));
    EXPECT_EQ(static_chunk(9, 2, 3, 1, 1), (Span{8, 9}));
}

TEST(StaticSchedule, LongestLoop) {
    EXPECT_EQ(static_block(kMost, 3, 2).last, kMost);
    EXPECT_EQ(static_chunk(kMost, kMost, 3, 0, 0), (Span{0, kMost}));
    EXPECT_EQ(static_chunk(kMost, kMost, 3, 1, 0), (Span{}));
    EXPECT_EQ(static_chunk(kMost, kMost - 1, 2, 1, 0), (Span{kMost - 1, kMost}));
}

TEST(DynamicSchedule, EachIterationOnceInOrder) {
    for_small_loops([](std::uint64_t count, std::uint64_t chunk, unsigned members) {
        std::atomic<std::uint64_t> next{0};
        const auto take = [&](unsigned, Span& span) {
            return dynamic_take(next, count, chunk, count_chunks(count, chunk), span);
        };
        const auto taken = run(members, take, static_cast<unsigned>(count));
        expect_each_once(count, taken);
        expect_monotonic(taken);
    });
}

TEST(DynamicSchedule, AloneTakesTheSameChunks) {
    std::atomic<std::uint64_t> shared{0}, alone{0};
    Span a, b;
    while (dynamic_take(shared, 10, 3, 4, a)) {
        ASSERT_TRUE(dynamic_take_alone(alone, 10, 3, 4, b));
        EXPECT_EQ(a, b);
    }
    EXPECT_FALSE(dynamic_take_alone(alone, 10, 3, 4, b));
    EXPECT_FALSE(dynamic_take_alone(alone, 10, 3, 4, b)) << "and stays at its end";
}

TEST(DynamicSchedule, LongestLoop) {
    std::atomic<std::uint64_t> next{0};
    const std::uint64_t chunk = kMost / 2 + 1, chunks = count_chunks(kMost, chunk);
    ASSERT_EQ(chunks, 2u);
    Span span;
    ASSERT_TRUE(dynamic_take(next, kMost, chunk, chunks, span));
    EXPECT_EQ(span, (Span{0, chunk}));
    ASSERT_TRUE(dynamic_take(next, kMost, chunk, chunks, span));
    EXPECT_EQ(span, (Span{chunk, kMost}));
    EXPECT_FALSE(dynamic_take(next, kMost, chunk, chunks, span));
}

TEST(GuidedSchedule, EachIterationOnceInShrinkingChunks) {
    for_small_loops([](std::uint64_t count, std::uint64_t chunk, unsigned members) {
        std::atomic<std::uint64_t> next{0};
        std::uint64_t before = kMost;
        const auto take = [&](unsigned, Span& span) {
            if (!guided_take(next, count, chunk, members, span)) return false;
            const std::uint64_t size = span.last - span.first;
            EXPECT_LE(size, before);
            EXPECT_TRUE(size >= chunk || span.last == count);
            before = size;
            return true;
        };
        const auto taken = run(members, take, 7);
        expect_each_once(count, taken);
        expect_monotonic(taken);
    });
}

TEST(GuidedSchedule, WholeChunksUpToTheLast) {
    for_small_loops([](std::uint64_t count, std::uint64_t chunk, unsigned members) {
        std::atomic<std::uint64_t> next{0};
        const auto take = [&](unsigned, Span& span) {
            if (!guided_take<guided_size_whole>(next, count, chunk, members, span)) return false;
            const std::uint64_t size = span.last - span.first;
            EXPECT_TRUE(size % chunk == 0 || span.last == count) << size;
            EXPECT_GE(size, guided_size(count - span.first, chunk, members));
            EXPECT_LT(size, guided_size(count - span.first, chunk, members) + chunk);
            return true;
        };
        expect_each_once(count, run(members, take, 7));
    });
}

TEST(GuidedSchedule, LongestLoop) {
    EXPECT_EQ(guided_size_whole(kMost, 3, 2), kMost / 2 / 3 * 3 + 3);
    EXPECT_EQ(guided_size_whole(kMost, kMost, 8), kMost);

    EXPECT_EQ(guided_size(kMost, 1, 2), kMost / 2 + 1);
    EXPECT_EQ(guided_size(kMost, kMost, 8), kMost);
    EXPECT_EQ(guided_size(1, kMost, 8), 1u);
}

TEST(StealingSchedule, EachIterationOnce) {
    for_small_loops([](std::uint64_t count, std::uint64_t chunk, unsigned members) {
        Stealing loop(count, chunk, members);
        expect_each_once(count, run(members, [&](unsigned m, Span& span) { return loop.take(m, span); }, 3));
    });
}

TEST(StealingSchedule, EachIterationOnceWithLargeBatches) {
    for (unsigned members = 1; members <= 8; ++members)
        for (unsigned seed = 0; seed < 5; ++seed) {
            Stealing loop(5000, 1, members);
            expect_each_once(5000, run(members, [&](unsigned m, Span& span) { return loop.take(m, span); }, seed));
        }
}

// The member gets the loop's last chunk last.
TEST(StealingSchedule, OneMemberCanTakeWhatTheOthersLeftInTheirBatches) {
    Stealing loop(1000, 1, 4);
    std::vector<std::vector<Span>> taken(4);
    Span span;
    for (unsigned member = 1; member < 4; ++member) {
        ASSERT_TRUE(loop.take(member, span)); // takes a whole batch, runs one of its chunks, and takes no more
        taken[member].push_back(span);
    }
    while (loop.take(0, span))
        taken[0].push_back(span);
    expect_each_once(1000, taken);
    EXPECT_EQ(taken[0].back().last, 1000u);
}

TEST(Batch, FitsUpTo32Bits) {
    EXPECT_TRUE(Batch::fits(0xffff'ffffu));
    EXPECT_FALSE(Batch::fits(0x1'0000'0000u));
}

} // namespace
} // namespace teff::loop
