// SPDX-License-Identifier: Apache-2.0
//
// Tests the cancellation of loops and sections: it reaches the members in the same construct, and
// no other member. One thread runs the members of a team in the order that the test chooses.
#include "loop/cancel.h"

#include <gtest/gtest.h>

#include <ostream>
#include <thread>

#include "loop/loop.h"
#include "loop/ordered.h"
#include "loop/players.h"
#include "loop/sections.h"

namespace teff::loop {
namespace {

using icv::ScheduleKind;

class Cancellation : public testing::Test {
  protected:
    Cancellation() { icv::detail::process_icvs.cancellation = true; }
    ~Cancellation() override { icv::detail::process_icvs.cancellation = false; }

    static bool cancel_loop(team::Worker& worker) { return cancel(worker, region::kCancelLoop, {}); }
    static bool sees_it(team::Worker& worker) { return cancellation_point(worker, region::kCancelLoop, {}); }
};

constexpr long kCount = 64;

LoopRequest loop_of(ScheduleKind kind, Order order, long chunk) {
    LoopRequest request;
    request.iterations = Iterations::of(0, kCount, 1);
    request.schedule = ScheduleChoice::fixed(kind, order, chunk);
    return request;
}

std::uint64_t rest_of(team::Worker& worker) {
    std::uint64_t count = 0;
    for (Span span; next(worker, span, {});)
        count += span.last - span.first;
    return count;
}

struct Case {
    const char* name;
    LoopRequest request;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

LoopRequest ordered(LoopRequest request) {
    request.ordered = true;
    return request;
}

LoopRequest doacross(LoopRequest request) {
    static constexpr long kCounts[] = {kCount};
    request.doacross = {1, kCounts};
    return request;
}

const Case kEarlier[] = {
    {"static_", loop_of(ScheduleKind::static_, Order::monotonic, 0)},
    {"static_chunks", loop_of(ScheduleKind::static_, Order::monotonic, 1)},
    {"dynamic", loop_of(ScheduleKind::dynamic, Order::nonmonotonic, 1)},
    {"guided", loop_of(ScheduleKind::guided, Order::nonmonotonic, 1)},
    {"ordered_static", ordered(loop_of(ScheduleKind::static_, Order::monotonic, 0))},
    {"doacross_static", doacross(loop_of(ScheduleKind::static_, Order::monotonic, 0))},
    {"sections", sections_request(static_cast<unsigned>(kCount), {})},
};

// A loop with nowait. Member 0 has left it while member 1 still has iterations in it.
class Earlier : public Cancellation, public testing::WithParamInterface<Case> {
  protected:
    Earlier() {
        start(early, GetParam().request);
        start(late, GetParam().request);
        if (GetParam().request.schedule.kind == ScheduleKind::dynamic) take_one(late); // from a batch
        done += rest_of(early);
        end_nowait(early);
    }

    void take_one(team::Worker& worker) {
        Span span;
        ASSERT_TRUE(next(worker, span, {}));
        done += span.last - span.first;
    }

    void finish() {
        done += rest_of(late);
        end_nowait(late);
        EXPECT_EQ(done, static_cast<std::uint64_t>(kCount));
    }

    Players players{2};
    team::Worker& early = players[0];
    team::Worker& late = players[1];
    std::uint64_t done = 0;
};

TEST_P(Earlier, LosesNothingToTheNextLoop) {
    start(early, loop_of(ScheduleKind::dynamic, Order::monotonic, 1));
    EXPECT_TRUE(cancel_loop(early));
    EXPECT_FALSE(sees_it(late));
    finish();
}

TEST_P(Earlier, LosesNothingToALoopThatTheProgramDivides) {
    EXPECT_TRUE(cancel_loop(early));
    EXPECT_FALSE(sees_it(late));
    finish();
    EXPECT_TRUE(sees_it(late)); // the member is in the other loop now
}

INSTANTIATE_TEST_SUITE_P(Loops, Earlier, testing::ValuesIn(kEarlier), testing::PrintToStringParamName());

TEST_F(Cancellation, EndsTheConstructForAllWhoAreInIt) {
    Players players(3);
    const LoopRequest request = loop_of(ScheduleKind::static_, Order::monotonic, 1);
    for (unsigned i = 0; i < 3; ++i)
        start(players[i], request);
    Span span;
    ASSERT_TRUE(next(players[1], span, {}));
    EXPECT_FALSE(sees_it(players[1]));
    EXPECT_TRUE(cancel_loop(players[0]));
    EXPECT_TRUE(sees_it(players[1]));
    EXPECT_EQ(rest_of(players[1]), 0u);
    EXPECT_EQ(rest_of(players[2]), 0u);
}

TEST_F(Cancellation, WhoComesLateFindsTheConstructCancelled) {
    Players players(2);
    const LoopRequest request = sections_request(5, {});
    EXPECT_EQ(sections_start(players[0], request), 1u);
    EXPECT_TRUE(cancel(players[0], region::kCancelSections, {}));
    EXPECT_EQ(sections_start(players[1], request), 0u);
}

TEST_F(Cancellation, TheNextConstructsAreWhole) {
    Players players(2);
    const LoopRequest request = loop_of(ScheduleKind::static_, Order::monotonic, 0);
    for (int construct = 0; construct < 100; ++construct) { // the records of cancelled constructs are reused
        const bool cancelled = construct % 2 == 0;
        std::uint64_t done = 0;
        for (unsigned i = 0; i < 2; ++i) {
            start(players[i], request);
            if (cancelled) cancel_loop(players[i]);
            done += rest_of(players[i]);
            end_nowait(players[i]);
        }
        EXPECT_EQ(done, cancelled ? 0u : static_cast<std::uint64_t>(kCount)) << construct;
    }
}

// Loops that the program divides itself, separated by a construct that all members meet.
TEST_F(Cancellation, OfADividedLoopEndsAtTheNextConstruct) {
    Players players(2);
    EXPECT_TRUE(cancel_loop(players[0]));
    EXPECT_TRUE(sees_it(players[1]));
    start(players[1], loop_of(ScheduleKind::static_, Order::monotonic, 0));
    EXPECT_FALSE(sees_it(players[1]));
    end_nowait(players[1]);
    EXPECT_FALSE(sees_it(players[1]));
}

TEST_F(Cancellation, OfADividedLoopEndsAtASingle) {
    Players players(2);
    (void)single_start(players[0], {});
    EXPECT_TRUE(cancel_loop(players[0]));
    EXPECT_FALSE(sees_it(players[1]));
    (void)single_start(players[1], {});
    EXPECT_TRUE(sees_it(players[1]));
}

TEST_F(Cancellation, OfOneAloneMarksNothing) {
    Players players(1);
    EXPECT_TRUE(cancel_loop(players[0]));
    EXPECT_FALSE(sees_it(players[0])); // the member has left that loop
    long first, bound;
    EXPECT_TRUE(start_values(players[0], loop_of(ScheduleKind::static_, Order::monotonic, 0), &first, &bound));
    EXPECT_TRUE(cancel_loop(players[0]));
    EXPECT_FALSE(all_taken.cancelled.load());
}

// The program is not conforming: an ordered loop must not be cancelled. The wait must end
// nevertheless.
TEST_F(Cancellation, FreesWhoWaitsForAPlaceInTheOrder) {
    Players players(2);
    const LoopRequest request = ordered(loop_of(ScheduleKind::static_, Order::monotonic, 0));
    Span span;
    for (unsigned i = 0; i < 2; ++i) {
        start(players[i], request);
        ASSERT_TRUE(next(players[i], span, {}));
    }
    std::thread waiter([&] { ordered_begin(players[1], {}); }); // member 0 has the turn
    EXPECT_TRUE(cancel_loop(players[0]));
    end_nowait(players[0]);
    waiter.join();
}

} // namespace
} // namespace teff::loop
