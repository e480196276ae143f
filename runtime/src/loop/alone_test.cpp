// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "loop/loop.h"
#include "loop/players.h"

namespace teff::loop {
namespace {

using Pieces = std::vector<std::pair<long, long>>;

LoopRequest request_of(long start, long end, long step, Order order, long chunk) {
    LoopRequest request;
    request.iterations = Iterations::of(start, end, step);
    request.schedule = ScheduleChoice::fixed(icv::ScheduleKind::dynamic, order, chunk);
    return request;
}

// Returns the worker's part of the loop.
Pieces run(team::Worker& worker, const LoopRequest& request) {
    Pieces pieces;
    long first = 0, bound = 0;
    for (bool more = start_values(worker, request, &first, &bound); more;
         more = next_values(worker, &first, &bound, base::CallSite{}))
        pieces.emplace_back(first, bound);
    end_nowait(worker);
    return pieces;
}

TEST(Alone, AllIterationsComeAtOnceWithTheLoopsOwnEnd) {
    Players players(1);
    EXPECT_EQ(run(players[0], request_of(0, 10, 1, Order::nonmonotonic, 3)), (Pieces{{0, 10}}));
    EXPECT_EQ(run(players[0], request_of(10, -1, -4, Order::nonmonotonic, 1)), (Pieces{{10, -1}}));
}

TEST(Alone, ALoopWithoutIterationsHasNone) {
    Players players(1);
    EXPECT_EQ(run(players[0], request_of(5, 5, 1, Order::nonmonotonic, 1)), Pieces{});
}

TEST(Alone, ChunksThatWereAskedForComeOneByOne) {
    Players players(1);
    EXPECT_EQ(run(players[0], request_of(0, 7, 1, Order::monotonic, 3)), (Pieces{{0, 3}, {3, 6}, {6, 7}}));
}

TEST(Alone, LoopsWithAndWithoutAConstructFollowEachOther) {
    Players players(1);
    for (int region = 0; region < 3; ++region, players.next_region())
        for (int loop = 0; loop < 4; ++loop) {
            const Order order = (region + loop) % 2 == 0 ? Order::monotonic : Order::nonmonotonic;
            EXPECT_EQ(run(players[0], request_of(0, 4, 1, order, 4)), (Pieces{{0, 4}})) << region << "." << loop;
        }
}

TEST(Alone, WhoHasATeammateTakesAPart) {
    Players players(2);
    EXPECT_GT(run(players[0], request_of(0, 100, 1, Order::nonmonotonic, 1)).size(), 1u);
}

} // namespace
} // namespace teff::loop
