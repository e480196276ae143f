// SPDX-License-Identifier: Apache-2.0
//
// Tests doacross loops with real threads: every schedule, one to three loops, more threads than
// processors.
#include "loop/doacross.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <ostream>
#include <thread>
#include <vector>

#include "loop/loop.h"
#include "loop/players.h"

namespace teff::loop {
namespace {

using icv::ScheduleKind;

struct Case {
    ScheduleKind kind;
    long chunk;
    unsigned members;
};

void PrintTo(const Case& c, std::ostream* out) {
    *out << "kind " << static_cast<int>(c.kind) << " chunk " << c.chunk << " members " << c.members;
}

LoopRequest nest(ScheduleKind kind, long chunk, unsigned loops, const long* counts) {
    LoopRequest request;
    request.iterations = Iterations::of(0, counts[0], 1);
    request.schedule = ScheduleChoice::fixed(kind, Order::monotonic, chunk);
    request.doacross = {loops, counts};
    return request;
}

// Waits for an iteration. GCC itself leaves out sinks before the first iteration.
void wait_for(team::Worker& worker, std::vector<std::uint64_t> sink) {
    unsigned loop = 0;
    doacross_wait(worker, sink[0], [&] { return sink[++loop]; }, {});
}

// Runs the loop in all members, and calls body(worker, i) for each iteration of the outermost loop.
template <class Body> void run_nest(Players& players, const LoopRequest& request, Body body) {
    std::vector<std::thread> threads;
    for (unsigned member = 0; member < players.team().size; ++member)
        threads.emplace_back([&, member] {
            team::Worker& worker = players[member];
            start(worker, request);
            for (Span span; next(worker, span, {});)
                for (std::uint64_t i = span.first; i < span.last; ++i)
                    body(worker, static_cast<long>(i));
            end_nowait(worker);
        });
    for (std::thread& thread : threads)
        thread.join();
}

class DoacrossSchedules : public testing::TestWithParam<Case> {};

TEST_P(DoacrossSchedules, ChainRunsInOrder) {
    constexpr long kCount = 700;
    Players players(GetParam().members);
    for (int round = 0; round < 3; ++round) { // the constructs follow each other without a barrier
        std::vector<long> order;              // guarded by the dependences
        const LoopRequest request = nest(GetParam().kind, GetParam().chunk, 1, &kCount);
        run_nest(players, request, [&](team::Worker& worker, long i) {
            if (i > 0) wait_for(worker, {static_cast<std::uint64_t>(i - 1)});
            order.push_back(i);
            doacross_post(worker, &i);
        });
        ASSERT_EQ(order.size(), static_cast<std::size_t>(kCount));
        for (long i = 0; i < kCount; ++i)
            ASSERT_EQ(order[static_cast<std::size_t>(i)], i);
    }
}

TEST_P(DoacrossSchedules, WavefrontOfThreeLoops) {
    constexpr long kCounts[] = {40, 6, 5};
    const auto cell = [](long i, long j, long k) {
        return static_cast<std::size_t>(((i + 1) * 7 + j + 1) * 6 + k + 1);
    };
    std::vector<long> grid(41 * 7 * 6);
    Players players(GetParam().members);
    const LoopRequest request = nest(GetParam().kind, GetParam().chunk, 3, kCounts);
    run_nest(players, request, [&](team::Worker& worker, long i) {
        for (long j = 0; j < kCounts[1]; ++j)
            for (long k = 0; k < kCounts[2]; ++k) {
                const auto at = [](long index) { return static_cast<std::uint64_t>(index); };
                wait_for(worker, {at(i - 1), at(j), at(k)}); // -1 is no iteration: ignored
                wait_for(worker, {at(i), at(j - 1), at(k)});
                wait_for(worker, {at(i - 1), at(j + 1), at(k)});
                const long earlier = grid[cell(i - 1, j, k)] + grid[cell(i, j - 1, k)] + grid[cell(i, j, k - 1)];
                grid[cell(i, j, k)] = (earlier + 1) % 1'000'003;
                const long position[] = {i, j, k};
                doacross_post(worker, position);
            }
    });
    std::vector<long> expected(grid.size());
    for (long i = 0; i < kCounts[0]; ++i)
        for (long j = 0; j < kCounts[1]; ++j)
            for (long k = 0; k < kCounts[2]; ++k)
                expected[cell(i, j, k)] =
                    (expected[cell(i - 1, j, k)] + expected[cell(i, j - 1, k)] + expected[cell(i, j, k - 1)] + 1) %
                    1'000'003;
    EXPECT_EQ(grid, expected);
}

// No iteration posts its source: the end of a chunk must suffice.
TEST_P(DoacrossSchedules, EndOfAChunkCountsAsSource) {
    constexpr long kCount = 100;
    std::vector<long> sums(kCount + 1);
    Players players(GetParam().members);
    run_nest(players, nest(GetParam().kind, GetParam().chunk, 1, &kCount), [&](team::Worker& worker, long i) {
        if (i > 0) wait_for(worker, {static_cast<std::uint64_t>(i - 1)});
        sums[static_cast<std::size_t>(i) + 1] = sums[static_cast<std::size_t>(i)] + i;
    });
    EXPECT_EQ(sums[kCount], kCount * (kCount - 1) / 2);
}

INSTANTIATE_TEST_SUITE_P(All, DoacrossSchedules,
                         testing::Values(Case{ScheduleKind::static_, 0, 2}, Case{ScheduleKind::static_, 0, 33},
                                         Case{ScheduleKind::static_, 1, 5}, Case{ScheduleKind::static_, 3, 33},
                                         Case{ScheduleKind::dynamic, 1, 2}, Case{ScheduleKind::dynamic, 1, 33},
                                         Case{ScheduleKind::dynamic, 4, 5}, Case{ScheduleKind::guided, 1, 3},
                                         Case{ScheduleKind::guided, 2, 33}, Case{ScheduleKind::dynamic, 1, 1}));

// The member with the first chunk stays in it while the others proceed as far as they may: to the
// last lane.
TEST(Doacross, AChunkWaitsForItsLane) {
    constexpr unsigned kMembers = 2;
    constexpr long kCount = 1000;
    Players players(kMembers);
    std::atomic<long> run{0}, most_ahead{0};
    run_nest(players, nest(ScheduleKind::dynamic, 1, 1, &kCount), [&](team::Worker& worker, long i) {
        if (i == 0) {
            while (run < 7) // eight lanes for two members
                std::this_thread::yield();
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            most_ahead = run.load();
        }
        ++run;
        doacross_post(worker, &i);
    });
    EXPECT_EQ(most_ahead, 7);
    EXPECT_EQ(run, kCount);
}

// 2^80 iterations: the inner loops are left out of the number.
TEST(Doacross, MoreIterationsThanANumberCanCount) {
    constexpr long kCounts[] = {1l << 20, 1l << 30, 1l << 30};
    Players players(2);
    const Entry entry = enter(players[0]);
    set_up(players[0], players.team(), entry.share, nest(ScheduleKind::static_, 1, 3, kCounts));
    const Doacross& doacross = *entry.share.doacross;
    const auto number_of = [&](std::uint64_t i, std::uint64_t j, std::uint64_t k) {
        const std::uint64_t inner[] = {j, k};
        unsigned loop = 0;
        std::uint64_t number = 0;
        EXPECT_TRUE(doacross.number_of(i, [&] { return inner[loop++]; }, number));
        return number;
    };
    EXPECT_EQ(number_of(3, 4, 5), (std::uint64_t{3} << 30) + 4);
    EXPECT_EQ(number_of(3, 4, 6), number_of(3, 4, 5));
    EXPECT_EQ(doacross.posted_by(number_of(3, 4, 5)), number_of(3, 4, 5)); // (3, 4) has iterations left
    EXPECT_EQ(doacross.number_at(1), std::uint64_t{1} << 30);
    std::uint64_t number;
    EXPECT_FALSE(doacross.number_of(kCounts[0], [] { return std::uint64_t{0}; }, number));
    EXPECT_FALSE(doacross.number_of(0, [&] { return static_cast<std::uint64_t>(kCounts[1]); }, number));
    open(entry.share);
}

TEST(Doacross, WithoutIterationsOrOutsideOfLoopsNothingHappens) {
    constexpr long kCounts[] = {5, 0};
    Players players(2);
    const long position[] = {0, 0};
    doacross_post(players[0], position);
    wait_for(players[0], {3, 3});
    run_nest(players, nest(ScheduleKind::dynamic, 1, 2, kCounts), [](team::Worker&, long) {});
}

} // namespace
} // namespace teff::loop
