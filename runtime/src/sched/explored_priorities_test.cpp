// SPDX-License-Identifier: Apache-2.0
//
// Tests under the explorer that threads that take tasks at the same time take those of the highest
// priorities. PriorityQueue, its lock and work stealing are the runtime's own code.
#include <array>
#include <gtest/gtest.h>
#include <initializer_list>
#include <iostream>
#include <memory>

#include "explore/explore.h"
#include "sched/work_stealing.h"

namespace teff::sched {
namespace {

using explore::Options;
using explore::Program;
using explore::Result;

struct Any {
    static constexpr bool constrained() { return false; }
    bool operator()(const Runnable*) const { return true; }
};

// Two lanes with queued tasks, in the order of their places.
struct Lanes {
    using Lane = LaneOver<explore::Atomics>;

    Lanes() {
        for (unsigned i = 0; i < lanes.size(); ++i) {
            lanes[i].number = i;
            lanes[i].limit = 8;
            places[i] = &lanes[i];
        }
        stealing.attach(places.data());
        stealing.resize(lanes.size());
    }
    ~Lanes() {
        for (Lane& lane : lanes)
            lane.free_memory();
    }

    void put(unsigned lane, std::initializer_list<std::int32_t> priorities) {
        for (const std::int32_t priority : priorities) {
            tasks[made].priority = priority;
            EXPLORE_CHECK(stealing.try_raise(lanes[lane], &tasks[made++]));
        }
    }
    std::int32_t take() {
        const Runnable* const item = stealing.take_unrelated_raised(Any{}, Look::kBrief);
        return item == nullptr ? 0 : item->priority;
    }

    std::array<Lane, 2> lanes;
    std::array<Lane*, 2> places;
    WorkStealingOver<explore::Atomics> stealing;
    std::array<Runnable, 4> tasks{};
    unsigned made = 0;
};

// Two threads take a task each; no thread makes tasks meanwhile.
Result explore_takers(std::initializer_list<std::int32_t> in_first, std::initializer_list<std::int32_t> in_second,
                      std::int32_t least) {
    return explore::run(
        [=] {
            auto shared = std::make_shared<Lanes>();
            shared->put(0, in_first);
            shared->put(1, in_second);
            const auto take = [=] { EXPLORE_CHECK(shared->take() >= least); };
            return Program({take, take}, [=] { EXPLORE_CHECK(shared->stealing.raised() == shared->made - 2); });
        },
        Options{.preemptions = 3});
}

void expect_complete_pass(const Result& result) {
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_TRUE(result.complete) << result;
    std::cout << result << "\n";
}

TEST(ExploredPriorities, NoTakerPassesOverAnotherLanesHigherTask) {
    expect_complete_pass(explore_takers({2, 1}, {2}, 2));
    expect_complete_pass(explore_takers({2}, {2, 1}, 2));
}
// Both find the same lane first, and the slower one finds it empty.
TEST(ExploredPriorities, ATakerThatComesTooLateLooksElsewhere) {
    expect_complete_pass(explore_takers({3}, {1}, 1));
    expect_complete_pass(explore_takers({2}, {2}, 2));
}

} // namespace
} // namespace teff::sched
