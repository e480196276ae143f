// SPDX-License-Identifier: Apache-2.0
//
// Scheduler, waits, barrier, join and inbox together, as they are shipped, under the explorer. Each
// protocol alone has tests beside it.
#include "region/explored_team.h"

#include <gtest/gtest.h>
#include <iostream>

namespace teff::region {
namespace {

using enum std::memory_order;
using explore::Options;
using explore::Outcome;
using explore::Program;
using explore::Result;

void expect_pass(const Result& result) {
    EXPECT_TRUE(result.passed()) << result;
    std::cout << result.executions << " executions, " << (result.complete ? "complete, " : "") << result.longest
              << " steps at most\n";
}
void expect_complete_pass(const Result& result) {
    expect_pass(result);
    EXPECT_TRUE(result.complete) << result;
}

// Programs that are too large to be tried out here: the first so many executions, in order.
constexpr Options kBegun{.preemptions = 1, .max_executions = 50'000};

// A program's state: the team, and its tasks.
template <class Rules, unsigned kTasks> struct Run {
    using Model = Explored<Rules>;
    using Worker = typename Model::Worker;
    using Task = typename Model::Task;

    explicit Run(unsigned members) : team(members) {}

    // Member `number` in a region that is under way.
    Worker& enter(unsigned number) {
        Worker& worker = team.worker(number);
        Model::begin_implicit_task(worker, *team.members[number]);
        return worker;
    }
    void expect_all_have_run() {
        for (Task& task : tasks)
            EXPLORE_CHECK(task.runs == 1);
    }
    void check_at_end() {
        expect_all_have_run();
        EXPLORE_CHECK(team.ready.looks_drained());
        EXPLORE_CHECK(!team.ready.sleepers().any());
    }

    typename Model::Team team;
    std::array<Task, kTasks> tasks;
};

// ---- A barrier opens when all have arrived and all tasks, and theirs, have been run.

template <class Rules, unsigned kTasks> Result tasks_at_a_barrier(const Options& options) {
    using Model = Explored<Rules>;
    return explore::run(
        [] {
            auto run = std::make_shared<Run<Rules, kTasks>>(2);
            if constexpr (kTasks > 1)
                run->tasks[0].body = [inner = &run->tasks[1]](auto& worker) { Model::create(worker, *inner); };
            auto first = [=] {
                auto& worker = run->enter(0);
                Model::create(worker, run->tasks[0]);
                Model::barrier(worker);
                run->expect_all_have_run();
            };
            auto second = [=] {
                Model::barrier(run->enter(1));
                run->expect_all_have_run();
            };
            return Program({first, second}, [=] { run->check_at_end(); });
        },
        options);
}

TEST(ExploredTeam, ABarrierOpensWhenItsTasksAndTheirsHaveBeenRun) {
    expect_complete_pass(tasks_at_a_barrier<Right, 1>({.preemptions = 1}));
    expect_pass(tasks_at_a_barrier<Right, 2>(kBegun));
}

// ---- taskwait

template <class Rules> Result wait_for_a_child(const Options& options) {
    using Model = Explored<Rules>;
    return explore::run(
        [] {
            auto run = std::make_shared<Run<Rules, 2>>(2);
            auto waiter = [=] {
                auto& worker = run->enter(0);
                Model::create(worker, run->tasks[0]);
                Model::create(worker, run->tasks[1]);
                Model::taskwait(worker);
                run->expect_all_have_run();
                Model::barrier(worker);
            };
            auto thief = [=] { Model::barrier(run->enter(1)); };
            return Program({waiter, thief}, [=] { run->check_at_end(); });
        },
        options);
}

TEST(ExploredTeam, ATaskwaitEndsWithItsLastChildWhoeverRunsIt) { expect_pass(wait_for_a_child<Right>(kBegun)); }

// ---- A task waits for its child; meanwhile an unrelated task becomes ready on its own thread.

template <class Rules> Result unrelated_task(const Options& options) {
    using Model = Explored<Rules>;
    return explore::run(
        [] {
            auto run = std::make_shared<Run<Rules, 3>>(2);
            auto* child = &run->tasks[1];
            auto* unrelated = &run->tasks[2];
            auto begun = std::make_shared<explore::atomic<int>>(0);
            child->body = [=](auto&) { begun->store(1, release); };
            run->tasks[0].body = [=](auto& worker) {
                Model::create(worker, *child);
                while (begun->load(acquire) == 0) // the other member has it
                    explore::Atomics::cpu_relax();
                Model::make_unrelated_ready(worker, *unrelated);
                Model::taskwait(worker);
                EXPLORE_CHECK(child->runs == 1);
            };
            auto first = [=] {
                auto& worker = run->enter(0);
                Model::create(worker, run->tasks[0]);
                Model::barrier(worker);
            };
            auto second = [=] { Model::barrier(run->enter(1)); };
            return Program({first, second}, [=] { run->check_at_end(); });
        },
        options);
}

TEST(ExploredTeam, AWaitingTaskRunsNoUnrelatedOne) { expect_pass(unrelated_task<Right>(kBegun)); }

// ---- Regions: places given, tasks at the join, a second region, members sent away between.

template <class Rules> Result regions(const char* steps, const Options& options) {
    using Model = Explored<Rules>;
    return explore::run(
        [=] {
            auto run = std::make_shared<Run<Rules, 1>>(2);
            auto members_part = [=](auto& worker) {
                if (run->tasks[0].parent == nullptr) Model::create(worker, run->tasks[0]);
            };
            auto leader = [=] {
                for (const char* step = steps; *step != '\0'; ++step) {
                    if (*step == 'd') {
                        Model::dismiss(run->team);
                        continue;
                    }
                    Model::run_region(run->team, [](auto&) {});
                    run->expect_all_have_run();
                }
                Model::send_home(run->team);
            };
            auto worker = [=] { Model::live(run->team.worker(1), members_part); };
            return Program({leader, worker}, [=] { run->check_at_end(); });
        },
        options);
}

TEST(ExploredTeam, ARegionEndsWhenItsMembersHaveJoinedAndItsTasksHaveBeenRun) {
    expect_complete_pass(regions<Right>("r", {.preemptions = 1}));
}

TEST(ExploredTeam, TheSameMembersHaveTheNextRegion) { expect_complete_pass(regions<Right>("rr", {.preemptions = 1})); }

TEST(ExploredTeam, MembersAreSentAwayBetweenRegions) {
    expect_complete_pass(regions<Right>("rdr", {.preemptions = 1}));
}

// ---- The region's cancellation frees who waits at a cancellable barrier.

template <class Rules> Result cancellation(const Options& options) {
    using Model = Explored<Rules>;
    return explore::run(
        [] {
            auto run = std::make_shared<Run<Rules, 0>>(2);
            auto canceller = [=] {
                run->enter(0);
                Model::cancel(run->team);
            };
            auto waiter = [=] { Model::barrier(run->enter(1), true); };
            return Program({canceller, waiter}, [=] { EXPLORE_CHECK(!run->team.ready.sleepers().any()); });
        },
        options);
}

TEST(ExploredTeam, ACancellationReachesWhoWaitsAtABarrier) {
    expect_complete_pass(cancellation<Right>({.preemptions = 4, .early_wakes = 1}));
}

// ---- Two tasks of which one ends when the other has been run, and two members that sleep.

template <class Rules> Result long_task(const Options& options) {
    using Model = Explored<Rules>;
    return explore::run(
        [] {
            auto run = std::make_shared<Run<Rules, 2>>(3);
            auto done = std::make_shared<explore::atomic<int>>(0);
            auto await_it = [=] {
                while (done->load(acquire) == 0)
                    explore::Atomics::cpu_relax();
            };
            run->tasks[0].body = [=](auto&) { await_it(); };
            run->tasks[1].body = [=](auto&) { done->store(1, release); };
            auto maker = [=] {
                auto& worker = run->enter(0);
                Model::create(worker, run->tasks[0]);
                Model::create(worker, run->tasks[1]);
                await_it(); // no scheduling point
                Model::barrier(worker);
            };
            auto member = [=](unsigned number) { return [=] { Model::barrier(run->enter(number)); }; };
            return Program({maker, member(1), member(2)}, [=] { run->check_at_end(); });
        },
        options);
}

TEST(ExploredTeam, NoTaskStaysBesideASleepingMember) { expect_pass(long_task<Right>(kBegun)); }

// ---- Each rule of the model is needed: without it a program fails.

struct AsksForNoDescent : Right {
    static constexpr bool kAsksForDescent = false;
};
struct UnrelatedTasksInTheLane : Right {
    static constexpr bool kUnrelatedGoPastTheLane = false;
};
struct KeepsEndsWhileIdle : Right {
    static constexpr bool kPassesEndsOn = false;
};
struct LooksForNoLeader : Right {
    static constexpr bool kLooksForALeader = false;
};
struct WakesNoSleepers : Right {
    static constexpr bool kWakesSleepers = false;
};
// Fences and sequentially consistent stores are what keeps a wake-up from being lost.
struct NoHeavyFence : Right {
    struct Atomics : explore::Atomics {
        static void heavy_fence() {}
    };
};
struct ReleaseStores : Right {
    struct Atomics : explore::Atomics {
        template <class T> struct atomic : explore::atomic<T> {
            using explore::atomic<T>::atomic;
            void store(T value, std::memory_order order) {
                explore::atomic<T>::store(value, order == seq_cst ? release : order);
            }
        };
    };
};

constexpr Options kOne{.preemptions = 1};

TEST(ExploredTeam, WithoutAQuestionForDescentAnUnrelatedTaskIsRun) {
    EXPECT_EQ(unrelated_task<AsksForNoDescent>(kOne).outcome, Outcome::check_failed);
}

TEST(ExploredTeam, AnUnrelatedTaskInTheLaneIsRun) {
    EXPECT_EQ(unrelated_task<UnrelatedTasksInTheLane>(kOne).outcome, Outcome::check_failed);
}

TEST(ExploredTeam, EndsThatAreKeptWhileIdleHang) {
    EXPECT_EQ(wait_for_a_child<KeepsEndsWhileIdle>(kOne).outcome, Outcome::deadlock);
}

TEST(ExploredTeam, ALeaderForWhomNobodyLooksHangs) {
    EXPECT_EQ(regions<LooksForNoLeader>("r", kOne).outcome, Outcome::deadlock);
}

TEST(ExploredTeam, ACancellationThatWakesNobodyHangs) {
    EXPECT_EQ(cancellation<WakesNoSleepers>(kOne).outcome, Outcome::deadlock);
    EXPECT_EQ(cancellation<ReleaseStores>(kOne).outcome, Outcome::deadlock);
}

TEST(ExploredTeam, WithoutTheHeavyFenceATaskStaysBesideASleepingMember) {
    EXPECT_EQ(long_task<NoHeavyFence>(kOne).outcome, Outcome::livelock);
}

} // namespace
} // namespace teff::region
