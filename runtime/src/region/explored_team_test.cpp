// SPDX-License-Identifier: Apache-2.0
//
// Explores Scheduler, waits, barrier, join and inbox together, in the shipped code. Each protocol
// also has tests of its own beside its code. The model around them is explore/team_model.h.
#include <array>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <iostream>
#include <memory>
#include <vector>

#include "explore/team_model.h"

namespace teff::region {
namespace {

using enum std::memory_order;
using explore::Explored;
using explore::Options;
using explore::Outcome;
using explore::Program;
using explore::Result;
using explore::Right;
using explore::Run;

// The combining barrier with groups of one member: with two members, each member climbs.
struct Combines : Right {
    static constexpr unsigned kFanIn = 1;
};
struct CombinesPairs : Right {
    static constexpr unsigned kFanIn = 2;
};

void expect_pass(const Result& result) {
    EXPECT_TRUE(result.passed()) << result;
    std::cout << result.executions << " executions, " << (result.complete ? "complete, " : "") << result.longest
              << " steps at most\n";
}
void expect_complete_pass(const Result& result) {
    expect_pass(result);
    EXPECT_TRUE(result.complete) << result;
}

// For programs with too many interleavings: only the first `max_executions` executions, in order,
// are tried.
constexpr Options kBegun{.preemptions = 1, .max_executions = 50'000};

// ---- A barrier opens when all members have arrived and all tasks, including their children, have
// been run.

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

TEST(ExploredTeam, ACombiningBarrierOpensWhenItsTasksAndTheirsHaveBeenRun) {
    expect_pass(tasks_at_a_barrier<Combines, 1>(kBegun));
    expect_pass(tasks_at_a_barrier<Combines, 2>(kBegun));
}

// ---- Barriers without tasks: members that sleep at a barrier are woken, and the next barrier
// finds the count empty.

template <class Rules> Result barriers(unsigned members, unsigned count, const Options& options) {
    using Model = Explored<Rules>;
    return explore::run(
        [=] {
            struct State : Run<Rules, 0> {
                using Run<Rules, 0>::Run;
                std::array<explore::Var<unsigned>, 3> come;
            };
            auto run = std::make_shared<State>(members);
            std::vector<std::function<void()>> parts;
            for (unsigned number = 0; number < members; ++number)
                parts.push_back([=] {
                    auto& worker = run->enter(number);
                    for (unsigned round = 1; round <= count; ++round) {
                        run->come[number] = round;
                        Model::barrier(worker);
                        EXPLORE_CHECK(run->come[(number + 1) % members] == round);
                        if (round < count) Model::barrier(worker);
                    }
                });
            return Program(std::move(parts), [=] { EXPLORE_CHECK(!run->team.ready.sleepers().any()); });
        },
        options);
}

TEST(ExploredTeam, MembersMeetAtBarriers) {
    expect_complete_pass(barriers<Right>(2, 1, {.preemptions = 3, .early_wakes = 1}));
    expect_complete_pass(barriers<Combines>(2, 1, {.preemptions = 2, .early_wakes = 1}));
    expect_pass(barriers<Right>(2, 2, kBegun));
    expect_pass(barriers<Combines>(2, 2, kBegun));
    expect_pass(barriers<Right>(3, 1, kBegun));
    expect_pass(barriers<CombinesPairs>(3, 1, kBegun));
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
                while (begun->load(acquire) == 0) // the other member runs it
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

// ---- Regions: places are handed out, tasks run at the join, a second region follows, and members
// are sent away in between.

// `steps` has one character for each step:
// - r: a region of all members, in which a member creates a task
// - e: a region without tasks
// - s: a region of all members but one
// - a: a region of the leader alone
// - d: all members are sent away
//
// In the steps s and a the leader creates a task, which must stay with the members of the region,
// because they count it.
template <class Rules> Result regions(unsigned members, const char* steps, const Options& options) {
    using Model = Explored<Rules>;
    return explore::run(
        [=] {
            auto run = std::make_shared<Run<Rules, 2>>(members);
            const auto create_once = [=](auto& worker, unsigned task) {
                if (run->tasks[task].parent == nullptr) Model::create(worker, run->tasks[task]);
            };
            auto members_part = [=](auto& worker) {
                const bool creates = std::strchr(steps, 'r') != nullptr;
                if (creates && worker.team_size == members && worker.member->number == 1) create_once(worker, 0);
            };
            auto smaller_region = [=](unsigned size) {
                Model::run_region(run->team, size, [=](auto& worker) { create_once(worker, 1); });
                EXPLORE_CHECK(run->tasks[1].runs == 1);
                EXPLORE_CHECK(run->tasks[1].home.get()->worker().member->number < size);
            };
            auto leader = [=] {
                for (const char* step = steps; *step != '\0'; ++step) {
                    if (*step == 'd') {
                        Model::dismiss(run->team);
                    } else if (*step == 'r' || *step == 'e') {
                        Model::run_region(run->team, members, [](auto&) {});
                        EXPLORE_CHECK(run->tasks[0].runs == (*step == 'r' ? 1 : 0));
                    } else {
                        smaller_region(*step == 'a' ? 1 : members - 1);
                    }
                }
                Model::retire(run->team);
            };
            std::vector<std::function<void()>> parts{leader};
            for (unsigned i = 1; i < members; ++i)
                parts.push_back([=] { Model::live(run->team.worker(i), members_part); });
            return Program(std::move(parts), [=] {
                EXPLORE_CHECK(run->team.ready.looks_drained());
                EXPLORE_CHECK(!run->team.ready.sleepers().any());
            });
        },
        options);
}

TEST(ExploredTeam, ARegionEndsWhenItsMembersHaveJoinedAndItsTasksHaveBeenRun) {
    expect_complete_pass(regions<Right>(2, "r", {.preemptions = 1}));
}

TEST(ExploredTeam, TheSameMembersHaveTheNextRegion) {
    expect_complete_pass(regions<Right>(2, "rr", {.preemptions = 1}));
}

TEST(ExploredTeam, MembersAreSentAwayBetweenRegions) {
    expect_complete_pass(regions<Right>(2, "rdr", {.preemptions = 1}));
}

TEST(ExploredTeam, MembersWithoutAPlaceStayAndRunNothing) {
    expect_complete_pass(regions<Right>(2, "ra", {.preemptions = 1}));
    expect_pass(regions<Right>(2, "ra", {.preemptions = 2, .max_executions = 50'000, .early_wakes = 1}));
    expect_pass(regions<Right>(2, "rar", kBegun));
    expect_complete_pass(regions<Right>(2, "rad", {.preemptions = 1}));
    expect_pass(regions<Right>(3, "rsr", kBegun));
}

// ---- The region's cancellation ends the waits at a cancellable barrier.

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
    expect_complete_pass(cancellation<Combines>({.preemptions = 4, .early_wakes = 1}));
}

// ---- Two tasks, one of which ends when the other has been run, and two sleeping members.

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

// ---- The same with tasks whose data lies on a node without members.

struct Deals : Right {
    static constexpr bool kDeals = true;
};

TEST(ExploredTeam, TasksOfANodeWithoutMembersAreRun) {
    expect_complete_pass(tasks_at_a_barrier<Deals, 1>({.preemptions = 1}));
    expect_pass(wait_for_a_child<Deals>(kBegun));
    expect_pass(unrelated_task<Deals>(kBegun));
    expect_pass(long_task<Deals>(kBegun));
}

// ---- Each rule of the model is necessary: without it a program fails.

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
struct RunsWhatComesNext : Right {
    static constexpr bool kKeepsToItsPhase = false;
};
struct WakesNoSleepers : Right {
    static constexpr bool kWakesSleepers = false;
};
struct OverlooksANode : Deals {
    static constexpr bool kSeesAllNodes = false;
};
// Fences and sequentially consistent stores prevent lost wake-ups.
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

// The fence between the groups' words and the look for sleepers is missing.
struct CombinesWithoutFence : Combines {
    struct Atomics : explore::Atomics {
        static void fence_seq_cst() {}
    };
};
// Climbs are relaxed.
struct RelaxedClimbs : Combines {
    struct Atomics : explore::Atomics {
        template <class T> struct atomic : explore::atomic<T> {
            using explore::atomic<T>::atomic;
            template <class D> T fetch_add(D by, std::memory_order order) {
                return explore::atomic<T>::fetch_add(by, order == acq_rel ? relaxed : order);
            }
        };
    };
};

constexpr Options kOne{.preemptions = 1};

TEST(ExploredTeam, ACombiningBarrierNeedsItsFence) {
    EXPECT_EQ(barriers<CombinesWithoutFence>(2, 1, kOne).outcome, Outcome::deadlock);
}

TEST(ExploredTeam, ACombiningBarrierNeedsItsClimbsToChain) {
    EXPECT_EQ(barriers<RelaxedClimbs>(2, 1, kOne).outcome, Outcome::data_race);
}

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
    EXPECT_EQ(regions<LooksForNoLeader>(2, "r", kOne).outcome, Outcome::deadlock);
}

TEST(ExploredTeam, AMemberWithoutAPlaceWouldRunTheTasksOfOthers) {
    EXPECT_EQ(regions<RunsWhatComesNext>(2, "ea", {.preemptions = 2}).outcome, Outcome::deadlock);
}

TEST(ExploredTeam, ACancellationThatWakesNobodyHangs) {
    EXPECT_EQ(cancellation<WakesNoSleepers>(kOne).outcome, Outcome::deadlock);
    EXPECT_EQ(cancellation<ReleaseStores>(kOne).outcome, Outcome::deadlock);
}

TEST(ExploredTeam, ANodeThatNobodyLooksAtKeepsItsTasks) {
    EXPECT_EQ(wait_for_a_child<OverlooksANode>(kOne).outcome, Outcome::deadlock);
}

TEST(ExploredTeam, WithoutTheHeavyFenceATaskStaysBesideASleepingMember) {
    EXPECT_EQ(long_task<NoHeavyFence>(kOne).outcome, Outcome::livelock);
}

} // namespace
} // namespace teff::region
