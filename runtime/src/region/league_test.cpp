// SPDX-License-Identifier: Apache-2.0
#include "region/league.h"

#include <atomic>
#include <vector>

#include <gtest/gtest.h>

#include "region/started.h"
#include "task/icvs.h"

namespace teff::region {
namespace {

const League& mine() { return league_of(*team::current_worker().member); }

TEST(League, OutsideAnyThereIsOneTeam) {
    EXPECT_EQ(mine().teams, 1u);
    EXPECT_EQ(mine().number, 0u);
}

TEST(League, TeamsRunOneAfterTheOtherAndKnowTheirNumbers) {
    std::vector<unsigned> numbers;
    auto body = [&] {
        EXPECT_EQ(mine().teams, 3u);
        numbers.push_back(mine().number);
    };
    run_league(team::current_worker(), body_of(body), 3, 0, {});
    EXPECT_EQ(numbers, (std::vector<unsigned>{0, 1, 2}));
    EXPECT_EQ(mine().teams, 1u);
}

TEST(League, ThreadsOfRegionsInsideAreInTheirTeamsLeague) {
    std::atomic<int> sum{0};
    auto inner = [&] { sum += static_cast<int>(mine().teams * 10 + mine().number); };
    auto body = [&] { run(team::current_worker(), {.body = body_of(inner), .num_threads = 3}); };
    run_league(team::current_worker(), body_of(body), 2, 0, {});
    EXPECT_EQ(sum, 3 * 20 + 3 * 21);
}

TEST(League, EachTeamBeginsWithTheSettingsOfTheConstructAndItsLimit) {
    team::Worker& worker = team::current_worker();
    const icv::TaskIcvs before = *worker.task->icvs;
    auto body = [&] {
        EXPECT_EQ(worker.task->icvs->thread_limit, 2u);
        EXPECT_NE(worker.task->icvs->nthreads, 77u) << "the last team's setting must be gone";
        task::change_icvs(worker, [](icv::TaskIcvs& icvs) { icvs.nthreads = 77; });
    };
    run_league(worker, body_of(body), 2, 2, {});
    EXPECT_EQ(worker.task->icvs->nthreads, before.nthreads);
    EXPECT_EQ(worker.task->icvs->thread_limit, before.thread_limit);
}

TEST(InitialTask, IsAloneAtLevelZeroInsideARegionAndLeavesItAsItWas) {
    std::atomic<int> right{0};
    auto target = [&] {
        const team::Worker& worker = team::current_worker();
        const team::Team& team = *worker.member->team;
        if (team.size == 1 && team.level == 0 && worker.member->number == 0) ++right;
    };
    auto inner = [&] {
        team::Worker& worker = team::current_worker();
        const team::Member* const place = worker.member;
        const task::Task* const task = worker.task;
        for (int i = 0; i < 50; ++i)
            run_initial_task(worker, body_of(target), 0, TargetTask::kIncluded, {});
        if (worker.member == place && worker.task == task) ++right;
    };
    run(team::current_worker(), {.body = body_of(inner), .num_threads = 4});
    EXPECT_EQ(right, 4 * 51);
}

TEST(InitialTask, TheProgramsLoopOverTeamsEndsAfterTheLast) {
    int rounds = 0;
    auto target = [&] {
        team::Worker& worker = team::current_worker();
        begin_league(worker, 3, 0);
        do {
            EXPECT_EQ(mine().teams, 3u);
            EXPECT_EQ(mine().number, static_cast<unsigned>(rounds));
            ++rounds;
        } while (next_team(worker));
    };
    run_initial_task(team::current_worker(), body_of(target), 0, TargetTask::kIncluded, {});
    EXPECT_EQ(rounds, 3);
    EXPECT_EQ(mine().teams, 1u);
}

} // namespace
} // namespace teff::region
