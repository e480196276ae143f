// SPDX-License-Identifier: Apache-2.0
//
// Checks that used stacks are given back to the system while a worker sleeps between regions.
#include <gtest/gtest.h>
#include <sched.h>
#include <vector>

#include "region/started.h"
#include "team/contexts.h"

namespace teff::region {
namespace {

TEST(IdleStacks, GoBackWhileAWorkerSleeps) {
    static constexpr unsigned kTaken = 300, kLeft = 64;
    unsigned taken = 0;
    const auto part = [&] {
        team::Worker& worker = team::current_worker();
        if (worker.member->number != 1) return;
        std::vector<team::Context*> contexts;
        while (contexts.size() < kTaken) {
            team::Context* const context = team::take_context(worker);
            if (context == nullptr) break;
            contexts.push_back(context);
        }
        taken = static_cast<unsigned>(contexts.size());
        for (team::Context* const context : contexts)
            team::give_back_context(*context);
    };
    run(team::current_worker(), {.body = body_of(part), .num_threads = 2});
    if (taken == 0) GTEST_SKIP() << "contexts do not work here";
    ASSERT_EQ(taken, kTaken);
    const auto idle = [] { return team::stack_pool.counts().idle; };
    EXPECT_GT(idle(), kLeft) << "those in use lately stay while somebody may need them";
    while (idle() > kLeft) // limited by the time limit of the test
        sched_yield();
}

} // namespace
} // namespace teff::region
