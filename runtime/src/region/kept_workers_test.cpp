// SPDX-License-Identifier: Apache-2.0
//
// Checks regions of one leader with changing sizes: which workers take part, and which workers are
// still in the team when it grows.
#include <array>
#include <atomic>
#include <gtest/gtest.h>
#include <thread>

#include "region/started.h"
#include "region/team_setup.h"
#include "task/create.h"

namespace teff::region {
namespace {

constexpr unsigned kMost = 6;

using Workers = std::array<std::atomic<team::Worker*>, kMost>;

// Runs a region of `size` members with a barrier. Records the workers that take part, by thread
// number.
void note_workers(unsigned size, Workers& workers) {
    for (auto& worker : workers)
        worker.store(nullptr, std::memory_order_relaxed);
    const auto part = [&] {
        team::Worker& worker = team::current_worker();
        workers[worker.member->number].store(&worker, std::memory_order_relaxed);
        (void)barrier(worker, BarrierKind::kExplicit, false, {});
        EXPECT_EQ(worker.member->team->size, size);
    };
    run(team::current_worker(), {.body = body_of(part), .num_threads = size});
}

unsigned how_many(const Workers& workers) {
    unsigned count = 0;
    for (const auto& worker : workers)
        count += worker.load(std::memory_order_relaxed) != nullptr;
    return count;
}

TEST(KeptWorkers, AreThereAgainWhenTheTeamGrows) {
    Workers first, now;
    note_workers(kMost, first);
    ASSERT_EQ(how_many(first), kMost);
    for (const unsigned size : {1u, kMost, 2u, 1u, 3u, kMost, 5u, 4u, kMost}) {
        note_workers(size, now);
        EXPECT_EQ(how_many(now), size);
        for (unsigned i = 0; i < size; ++i)
            EXPECT_EQ(now[i].load(), first[i].load()) << "member " << i << " of " << size;
    }
}

TEST(KeptWorkers, RunNoTaskOfARegionWithoutThem) {
    const auto region = [](unsigned size) {
        static std::atomic<unsigned> tasks_run;
        static unsigned members;
        tasks_run = 0;
        members = size;
        const auto part = [] {
            const auto task = [](void*) {
                EXPECT_LT(team::current_worker().member->number, members);
                EXPECT_EQ(team::current_worker().member->team->size, members);
                tasks_run.fetch_add(1);
            };
            for (int i = 0; i < 20; ++i)
                task::create_any(team::current_worker(),
                                 {.function = task, .data = nullptr, .copy = nullptr, .arg_bytes = 0, .arg_align = 1});
        };
        run(team::current_worker(), {.body = body_of(part), .num_threads = size});
        EXPECT_EQ(tasks_run.load(), size * 20);
    };
    for (int i = 0; i < 2'000; ++i)
        region(1 + static_cast<unsigned>(i) * 5 % kMost);
}

// Workers without a place in recent regions are also asked to go outside, and answer.
TEST(KeptWorkers, GoWhenTheirLeaderHasDoneWithThem) {
    std::thread([] {
        Workers workers;
        note_workers(kMost, workers);
        note_workers(2, workers);
        note_workers(1, workers);
        release_threads(team::current_worker());
        note_workers(kMost, workers);
        EXPECT_EQ(how_many(workers), kMost);
        note_workers(1, workers);
    }).join();
}

} // namespace
} // namespace teff::region
