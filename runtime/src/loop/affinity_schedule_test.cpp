// SPDX-License-Identifier: Apache-2.0
//
// Tests the affinity schedule: which member gets which chunks, that each chunk is taken once under
// simulated and real interleavings, and that the member that runs the last chunk need not have run
// any other chunk.
#include "loop/affinity_schedule.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "explore/explore.h"
#include "loop/loop.h"
#include "loop/players.h"
#include "loop/takers.h"

namespace teff::loop {
namespace {

constexpr std::uint64_t kMost = ~std::uint64_t{0};

// A loop whose members are on nodes in a row, `per_node` members to each node.
template <class Atomics> struct LoopOver {
    using Schedule = AffinityScheduleOver<Atomics>;

    LoopOver(const typename Schedule::Shape& its_shape, unsigned on_a_node)
        : shape(its_shape), per_node(on_a_node), shares(new typename Schedule::Batch[its_shape.members]) {
        schedule().divide();
    }

    Schedule schedule() { return {next, shares.get(), shape}; }
    unsigned steps(unsigned from, unsigned to) const {
        const unsigned a = from / per_node, b = to / per_node;
        return a < b ? b - a : a - b;
    }
    bool take(unsigned member, Span& span) {
        if (has_had_last == member) return false; // as in loop.cpp
        Chunks taken;
        if (!schedule().take(member, [&](unsigned other) { return steps(member, other); }, taken)) return false;
        if (schedule().has_last(taken)) has_had_last = member;
        span = schedule().span_of(taken);
        return true;
    }
    Spans take_all(unsigned member) {
        Spans spans;
        for (Span span; take(member, span);)
            spans.push_back(span);
        return spans;
    }

    typename Schedule::Shape shape;
    unsigned per_node;
    typename Schedule::Counter next{0};
    std::unique_ptr<typename Schedule::Batch[]> shares;
    unsigned has_had_last = ~0u;
};
using Loop = LoopOver<base::RealAtomics>;

std::vector<Spans> run(Loop& loop, unsigned seed) {
    return teff::loop::run(
        loop.shape.members, [&](unsigned member, Span& span) { return loop.take(member, span); }, seed);
}

TEST(AffinitySchedule, EachIterationOnce) {
    for (unsigned members = 1; members <= 9; ++members)
        for (std::uint64_t count = 0; count <= 70; count += count < 20 ? 1 : 7)
            for (const std::uint64_t chunk :
                 {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{8}, std::uint64_t{100}, kMost})
                for (const bool guided : {false, true}) {
                    Loop loop({count, chunk, members, guided}, 2);
                    const auto taken = run(loop, members * 31 + static_cast<unsigned>(count));
                    expect_each_once(count, taken);
                }
}

TEST(AffinitySchedule, WhoHasTheLastChunkHasItLast) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        Loop loop({57, 2, 5, seed % 2 == 0}, 2);
        for (const Spans& spans : run(loop, seed))
            for (std::size_t i = 0; i + 1 < spans.size(); ++i)
                ASSERT_LT(spans[i].last, 57u);
    }
}

TEST(AffinitySchedule, MembersInStepHaveTheirStaticBlocks) {
    for (const bool guided : {false, true}) {
        Loop loop({103, 1, 4, guided}, 1);
        std::vector<Spans> taken(4);
        for (bool more = true; more;) {
            more = false;
            for (unsigned member = 0; member < 4; ++member)
                if (Span span; loop.shares[member].size() != 0 && loop.take(member, span)) {
                    taken[member].push_back(span);
                    more = true;
                }
        }
        for (unsigned member = 0; member < 4; ++member) {
            const Span block = static_block(103, 4, member);
            EXPECT_EQ(taken[member].front().first, block.first);
            EXPECT_EQ(taken[member].back().last, member == 3 ? block.last - 1 : block.last) << "all but the last chunk";
        }
    }
}

TEST(AffinitySchedule, AShareBeginsWithTheChunkNearestToTheBlock) {
    Loop loop({100, 30, 3, false}, 1); // chunks at 0, 30, 60 and 90; blocks at 0, 34 and 67
    EXPECT_EQ(loop.take_all(0)[0], (Span{0, 30}));
    Loop other({100, 30, 3, false}, 1);
    EXPECT_EQ(other.take_all(1)[0], (Span{30, 60}));
    Loop third({100, 30, 3, false}, 1);
    EXPECT_EQ(third.take_all(2)[0], (Span{60, 90}));
}

// The other members come late, or wait for the actions of this member.
TEST(AffinitySchedule, OneMemberTakesAllWhileNoOtherComes) {
    for (unsigned members = 2; members <= 8; ++members)
        for (unsigned member = 0; member < members; ++member)
            for (const bool guided : {false, true}) {
                Loop loop({2 * members, 1, members, guided}, 2);
                expect_each_once(2 * members, {loop.take_all(member)});
            }
}

TEST(AffinitySchedule, GuidedTakesHalfOfWhatIsLeftInTheShare) {
    Loop loop({64, 2, 2, true}, 1); // 16 chunks each
    Span span;
    ASSERT_TRUE(loop.take(0, span));
    EXPECT_EQ(span, (Span{0, 16}));
    ASSERT_TRUE(loop.take(0, span));
    EXPECT_EQ(span, (Span{16, 24}));
    ASSERT_TRUE(loop.take(0, span));
    EXPECT_EQ(span, (Span{24, 28}));
}

// Six members on three nodes.
TEST(AffinitySchedule, AHelperTakesFromItsOwnNodeAndThenFromTheFullest) {
    Loop loop({60, 1, 6, false}, 2);
    const auto leave = [&](unsigned member, std::uint64_t begin) {
        loop.shares[member].fill({begin, 10 * (member + 1) - (member == 5 ? 1 : 0)});
    };
    leave(2, 30), leave(3, 39), leave(1, 13), leave(0, 4), leave(4, 44);
    Span span;
    ASSERT_TRUE(loop.take(2, span));
    EXPECT_EQ(span, (Span{39, 40})) << "its neighbour's only one, though others have more";
    ASSERT_TRUE(loop.take(2, span));
    EXPECT_EQ(span, (Span{54, 55})) << "the later half of the fullest";
    EXPECT_EQ(loop.shares[2].size(), 4u) << "which is its own now";
    leave(0, 4), leave(4, 44), leave(5, 59), leave(2, 30);
    loop.shares[1].fill({10, 16});
    ASSERT_TRUE(loop.take(5, span));
    EXPECT_EQ(span, (Span{47, 48}));
    loop.shares[4].fill({0, 0}), loop.shares[5].fill({0, 0});
    loop.shares[0].fill({0, 4}), loop.shares[2].fill({0, 0}), loop.shares[3].fill({20, 24}),
        loop.shares[1].fill({0, 0});
    ASSERT_TRUE(loop.take(5, span));
    EXPECT_EQ(span, (Span{22, 23})) << "of equal ones the nearest";
}

TEST(AffinitySchedule, TheLastChunksOwnerHelpsFirst) {
    Loop loop({20, 1, 2, false}, 2);
    const Spans all = loop.take_all(1);
    ASSERT_GT(all.size(), 10u);
    EXPECT_EQ(all[8], (Span{18, 19}));
    EXPECT_EQ(all[9], (Span{5, 6})) << "half of the other's";
    EXPECT_EQ(all.back(), (Span{19, 20}));
}

TEST(AffinitySchedule, OneMemberCanTakeWhatTheOthersLeave) {
    Loop loop({1000, 3, 4, false}, 2);
    std::vector<Spans> taken(4);
    Span span;
    for (unsigned member = 1; member < 4; ++member) {
        ASSERT_TRUE(loop.take(member, span));
        taken[member].push_back(span);
    }
    taken[0] = loop.take_all(0);
    expect_each_once(1000, taken);
}

TEST(AffinitySchedule, LongestLoop) {
    const std::uint64_t chunk = kMost / 0xffff'fffe;
    ASSERT_TRUE(Batch::fits(count_chunks(kMost, chunk)));
    Loop loop({kMost, chunk, 3, true}, 1);
    std::uint64_t sum = 0;
    for (const Spans& spans : run(loop, 3))
        for (const Span& span : spans)
            sum += span.last - span.first;
    EXPECT_EQ(sum, kMost);
}

// Two or three members on two nodes; each takes chunks until it finds none.
template <class Atomics> explore::Result explored(const typename AffinityScheduleOver<Atomics>::Shape& shape) {
    struct State : LoopOver<Atomics> {
        using LoopOver<Atomics>::LoopOver;
        int hits[8] = {};
        unsigned lasts = 0;
    };
    return explore::run(
        [=] {
            auto state = std::make_shared<State>(shape, 2);
            auto member = [=](unsigned number) {
                return [=] {
                    Chunks taken;
                    bool had_last = false;
                    while (!had_last &&
                           state->schedule().take(
                               number, [&](unsigned other) { return state->steps(number, other); }, taken)) {
                        const Span span = state->schedule().span_of(taken);
                        for (std::uint64_t i = span.first; i < span.last; ++i)
                            ++state->hits[i];
                        had_last = state->schedule().has_last(taken);
                        state->lasts += had_last;
                    }
                };
            };
            auto check = [=] {
                for (std::uint64_t i = 0; i < shape.count; ++i)
                    EXPLORE_CHECK(state->hits[i] == 1);
                EXPLORE_CHECK(state->lasts == 1);
            };
            if (shape.members == 2) return explore::Program({member(0), member(1)}, check);
            return explore::Program({member(0), member(1), member(2)}, check);
        },
        {.preemptions = 2});
}

TEST(AffinitySchedule, NoInterleavingLosesOrRepeatsAChunk) {
    for (const unsigned members : {2u, 3u})
        for (const bool guided : {false, true}) {
            const explore::Result result = explored<explore::Atomics>({6, 1, members, guided});
            EXPECT_TRUE(result.passed()) << result;
            EXPECT_TRUE(result.complete) << result;
        }
}

// The exchange of a share does not check whether the share has changed since it was read.
struct Unchecked : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        bool compare_exchange_weak(T&, T desired, std::memory_order, std::memory_order) {
            this->store(desired, std::memory_order_relaxed);
            return true;
        }
    };
};

TEST(AffinitySchedule, ExplorerCatchesAnUncheckedExchange) {
    EXPECT_FALSE(explored<Unchecked>({6, 1, 2, false}).passed());
}

TEST(AffinityScheduleThreads, EachIterationOnce) {
    constexpr unsigned kMembers = 4;
    for (int round = 0; round < 50; ++round) {
        Loop loop({2000, 3, kMembers, round % 2 == 0}, 2);
        std::vector<std::atomic<int>> hits(2000);
        std::vector<std::thread> threads;
        for (unsigned member = 0; member < kMembers; ++member)
            threads.emplace_back([&, member] {
                const AffinitySchedule schedule = loop.schedule();
                Chunks taken;
                for (bool had_last = false; !had_last;) {
                    if (!schedule.take(member, [&](unsigned other) { return loop.steps(member, other); }, taken))
                        return;
                    const Span span = schedule.span_of(taken);
                    for (std::uint64_t i = span.first; i < span.last; ++i)
                        hits[i].fetch_add(1);
                    had_last = schedule.has_last(taken);
                }
            });
        for (std::thread& thread : threads)
            thread.join();
        for (const auto& here : hits)
            ASSERT_EQ(here.load(), 1);
    }
}

// ---- The schedule in loops of a team for which nodes matter.

LoopRequest request_of(icv::ScheduleKind kind, Order order, std::uint64_t count, bool ordered = false) {
    LoopRequest request;
    request.iterations = Iterations::of(true, 0, count, 1);
    request.schedule = ScheduleChoice::fixed(kind, order, 1);
    request.ordered = ordered;
    return request;
}

Schedule schedule_of(const LoopRequest& request, bool by_node = true, unsigned members = 4) {
    Players players(members);
    players.team().ring = make_ring(members, by_node);
    start(players[0], request);
    return players[0].member->loop.current->schedule;
}

TEST(AffinityLoops, TakeThePlaceOfNonmonotonicOnesWhereNodesMatter) {
    using enum icv::ScheduleKind;
    EXPECT_EQ(schedule_of(request_of(dynamic, Order::nonmonotonic, 100)), Schedule::affinity);
    EXPECT_EQ(schedule_of(request_of(guided, Order::nonmonotonic, 100)), Schedule::affinity_guided);
    EXPECT_EQ(schedule_of(request_of(static_, Order::nonmonotonic, 100)), Schedule::static_);
    EXPECT_EQ(schedule_of(request_of(dynamic, Order::monotonic, 100)), Schedule::dynamic);
    EXPECT_EQ(schedule_of(request_of(guided, Order::monotonic, 100)), Schedule::guided);
    EXPECT_EQ(schedule_of(request_of(dynamic, Order::nonmonotonic, 100, true)), Schedule::dynamic) << "ordered";
    EXPECT_EQ(schedule_of(request_of(guided, Order::nonmonotonic, 100, true)), Schedule::guided) << "ordered";
    EXPECT_EQ(schedule_of(request_of(dynamic, Order::nonmonotonic, kMost)), Schedule::dynamic) << "does not fit";
    EXPECT_EQ(schedule_of(request_of(guided, Order::nonmonotonic, kMost)), Schedule::guided) << "does not fit";
    EXPECT_EQ(schedule_of(request_of(guided, Order::nonmonotonic, 100), true, 1), Schedule::guided) << "alone";
}

TEST(AffinityLoops, OthersAreAsEver) {
    using enum icv::ScheduleKind;
    EXPECT_EQ(schedule_of(request_of(dynamic, Order::nonmonotonic, 100), false), Schedule::stealing);
    EXPECT_EQ(schedule_of(request_of(guided, Order::nonmonotonic, 100), false), Schedule::guided);
}

TEST(AffinityLoops, FollowEachOtherAlsoFarAhead) {
    Players players(3);
    players.team().ring = make_ring(3, true);
    constexpr unsigned kLoops = 80; // more than a block of constructs
    std::vector<std::vector<Spans>> taken(kLoops, std::vector<Spans>(3));
    for (unsigned member = 0; member < 3; ++member)
        for (unsigned loop = 0; loop < kLoops; ++loop) {
            const auto kind = loop % 2 == 0 ? icv::ScheduleKind::dynamic : icv::ScheduleKind::guided;
            start(players[member], request_of(kind, Order::nonmonotonic, loop));
            for (Span span; next(players[member], span, {});)
                taken[loop][member].push_back(span);
            end_nowait(players[member]);
        }
    for (unsigned loop = 0; loop < kLoops; ++loop)
        expect_each_once(loop, taken[loop]);
}

} // namespace
} // namespace teff::loop
