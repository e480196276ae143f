// SPDX-License-Identifier: Apache-2.0
//
// Explores waits of tasks that leave their stacks, in the shipped code: the wait, the choice,
// suspension, notification, ready contexts, parker, scheduler and lanes together.
// explore/team_model.h models their environment. Separate threads cause the events for which tasks
// wait, at any moment.
#include <array>
#include <functional>
#include <gtest/gtest.h>
#include <iostream>
#include <memory>
#include <vector>

#include "explore/mutants.h"
#include "explore/team_model.h"

namespace teff::task {
namespace {

using enum std::memory_order;
using explore::Explored;
using explore::Options;
using explore::Outcome;
using explore::Program;
using explore::Result;

struct Right : explore::Right {
    static constexpr bool kContexts = true;
};

void expect_pass(const Result& result) {
    EXPECT_TRUE(result.passed()) << result;
    std::cout << result << "\n";
}
void expect_complete_pass(const Result& result) {
    expect_pass(result);
    EXPECT_TRUE(result.complete) << result;
}

// For programs with too many interleavings: only the first `max_executions` executions, in order,
// are tried.
constexpr Options kBegun{.preemptions = 1, .max_executions = 30'000};

template <class Rules, unsigned kTasks> struct Run : explore::Run<Rules, kTasks> {
    using Base = explore::Run<Rules, kTasks>;
    using Model = Explored<Rules>;
    using Task = typename Model::Task;
    using Worker = typename Model::Worker;

    explicit Run(unsigned members) : Base(members) {
        for (Task& task : this->tasks)
            task.untied = true;
    }

    // The task's body waits for an event that another thread fulfils, and continues exactly once,
    // where it began.
    void let_wait(unsigned number) {
        Task& task = this->tasks[number];
        task.children.begin_home();
        task.body = [=, this](Worker& worker) {
            auto* const began_on = worker.context;
            Model::taskwait(worker);
            EXPLORE_CHECK(worker.context == began_on && worker.task == &this->tasks[number]);
            EXPLORE_CHECK(told[number] == 1);
            EXPLORE_CHECK(++went_on[number] == 1);
        };
    }
    // The work of the event's thread. With `twice`, it notifies the context once more without a
    // reason.
    void fulfil(unsigned number, bool twice = false) {
        Task& task = this->tasks[number];
        told[number] = 1;
        if (task.children.end_away() != sync::Last::kNotifyHome) return;
        auto& home = *task.home.get();
        home.notify();
        if (twice) home.notify();
    }

    void check_at_end() {
        Base::check_at_end();
        for (auto& worker : this->team.workers) {
            auto& member = *worker->member;
            EXPLORE_CHECK(worker->context == &worker->base);
            EXPLORE_CHECK(worker->free_contexts.size() == worker->contexts.size());
            EXPLORE_CHECK(member.ready.take() == nullptr && member.outside == nullptr && member.barred.empty());
        }
    }

    std::array<explore::Var<unsigned>, kTasks> told; // data written before the event
    std::array<unsigned, kTasks> went_on{};
};

// ---- A member that is alone creates tasks. The last `waiting` of them each wait for an event, and
// begin first.

enum class Waits : bool { kAtBarrier, kInTask }; // the wait of the implicit task meanwhile

struct Scene {
    unsigned waiting = 1;
    Waits waits = Waits::kAtBarrier;
    bool twice = false;  // each task is notified twice
    bool yields = false; // the first task gives way twice
    bool barred = false; // the last task's context is barred until the first task has ended
};

template <class Rules> void wait_for_tasks(typename Explored<Rules>::Worker& worker, Waits waits) {
    if (waits == Waits::kInTask) Explored<Rules>::taskwait(worker);
    Explored<Rules>::barrier(worker);
}

template <class Rules, unsigned kTasks> Result alone(const Scene& scene, const Options& options) {
    using Model = Explored<Rules>;
    return explore::run(
        [=] {
            auto run = std::make_shared<Run<Rules, kTasks>>(1);
            std::vector<std::function<void()>> threads{[=] {
                auto& worker = run->enter(0);
                for (auto& task : run->tasks)
                    Model::create(worker, task);
                wait_for_tasks<Rules>(worker, scene.waits);
            }};
            if (scene.yields)
                run->tasks[0].body = [](auto& worker) {
                    Model::yield(worker);
                    Model::yield(worker);
                };
            if (scene.barred) {
                run->tasks[0].body = [](auto& worker) { Model::end_bars(worker); };
                run->tasks[kTasks - 1].awaits_end_of_bar = true;
            }
            for (unsigned i = kTasks - scene.waiting; i < kTasks; ++i) {
                run->let_wait(i);
                threads.push_back([=] { run->fulfil(i, scene.twice); });
            }
            return Program(std::move(threads), [=] { run->check_at_end(); });
        },
        options);
}

constexpr Scene kOneWaits = {};
constexpr Scene kNotifiedTwice = {.twice = true};
constexpr Scene kTwoWait = {.waiting = 2};
constexpr Scene kAllWait = {.waiting = 2, .waits = Waits::kInTask};
constexpr Scene kOneYields = {.yields = true};
constexpr Scene kOneIsBarred = {.twice = true, .barred = true};

TEST(ExploredSuspension, AWaitingTaskLeavesItsStackAndGoesOnOnce) {
    expect_complete_pass((alone<Right, 2>(kOneWaits, {.preemptions = 2, .early_wakes = 1})));
    expect_complete_pass((alone<Right, 2>(kNotifiedTwice, {.preemptions = 2})));
}

TEST(ExploredSuspension, TasksThatWaitBesideEachOtherGoOn) {
    expect_complete_pass((alone<Right, 2>(kTwoWait, {.preemptions = 1})));
    expect_complete_pass((alone<Right, 3>(kTwoWait, {.preemptions = 1})));
}

TEST(ExploredSuspension, AWorkerWithNothingButSuspendedTasksSleepsUntilOneIsNotified) {
    expect_complete_pass((alone<Right, 2>(kAllWait, {.preemptions = 1})));
}

TEST(ExploredSuspension, ATaskThatGivesWayAndOneThatWaitsBothGoOn) {
    expect_complete_pass((alone<Right, 2>(kOneYields, {.preemptions = 2})));
    expect_complete_pass((alone<Right, 3>(kOneYields, {.preemptions = 1})));
}

TEST(ExploredSuspension, AnEndOfABarAndANotificationMakeATaskReadyOnce) {
    expect_complete_pass((alone<Right, 2>(kOneIsBarred, {.preemptions = 2})));
}

// ---- Two members: a task waits for a child that either of them runs.

template <class Rules> Result of_two(const Options& options) {
    using Model = Explored<Rules>;
    return explore::run(
        [] {
            auto run = std::make_shared<Run<Rules, 3>>(2);
            run->tasks[1].body = [child = &run->tasks[2]](auto& worker) {
                Model::create(worker, *child);
                Model::taskwait(worker);
                EXPLORE_CHECK(child->runs == 1);
            };
            auto maker = [=] {
                auto& worker = run->enter(0);
                Model::create(worker, run->tasks[0]);
                Model::create(worker, run->tasks[1]);
                Model::barrier(worker);
                run->expect_all_have_run();
            };
            auto other = [=] {
                Model::barrier(run->enter(1));
                run->expect_all_have_run();
            };
            return Program({maker, other}, [=] { run->check_at_end(); });
        },
        options);
}

TEST(ExploredSuspension, ATaskWhoseChildAnotherMemberRunsGoesOnBesideItsThreadsOtherTasks) {
    expect_pass(of_two<Right>(kBegun));
}

// ---- Contexts that move: two members wait at a barrier. A task waits for an event, or yields, on
// a stack of its own, and either member continues it. The bodies ask their context for the worker.

struct Moving : Right {
    static constexpr bool kMoves = true;
};

template <class Rules, unsigned kTasks> struct MovingRun : Run<Rules, kTasks> {
    using Base = Run<Rules, kTasks>;
    using Model = typename Base::Model;
    using Worker = typename Model::Worker;
    using Base::Base;

    void let_wait(unsigned number) {
        auto& task = this->tasks[number];
        task.children.begin_home();
        task.body = [=, this](Worker& worker) {
            auto& context = *worker.context;
            explore::Var<int> kept{1}; // on its stack
            kept = 2;
            Model::taskwait(worker);
            check_place(context, number);
            EXPLORE_CHECK(kept == 2 && this->told[number] == 1);
            end(number);
        };
    }
    void let_yield(unsigned number) {
        this->tasks[number].body = [=, this](Worker& worker) {
            auto& context = *worker.context;
            Model::yield(worker);
            check_place(context, number);
            end(number);
        };
    }
    void end(unsigned number) {
        EXPLORE_CHECK(++this->went_on[number] == 1);
        went_on_now.store(1, std::memory_order_release);
    }
    void check_place(typename Model::Context& context, unsigned number) {
        Worker& now = context.worker();
        EXPLORE_CHECK(now.context == &context && now.task == &this->tasks[number]);
    }
    void check_at_end() {
        explore::Run<Rules, kTasks>::check_at_end();
        std::size_t made = 0, free = 0;
        for (auto& worker : this->team.workers) {
            made += worker->contexts.size();
            free += worker->free_contexts.size();
            EXPLORE_CHECK(worker->context == &worker->base && worker->member->outside == nullptr);
            EXPLORE_CHECK(worker->member->ready.take() == nullptr);
        }
        EXPLORE_CHECK(made == free && this->team.moving.count() == 0);
    }

    explore::atomic<int> went_on_now{0};
};

enum class Leaves : bool { kWaits, kYields };

// Task 0 leaves its stack; the other tasks are what its thread goes on with meanwhile.
template <class Rules, unsigned kTasks> Result moving(Leaves how, const Options& options) {
    using Model = Explored<Rules>;
    return explore::run(
        [=] {
            auto run = std::make_shared<MovingRun<Rules, kTasks>>(2);
            std::vector<std::function<void()>> threads{[=] {
                                                           auto& worker = run->enter(0);
                                                           for (unsigned i = kTasks; i-- > 0;)
                                                               Model::create(worker, run->tasks[i]);
                                                           Model::barrier(worker);
                                                           run->expect_all_have_run();
                                                       },
                                                       [=] {
                                                           Model::barrier(run->enter(1));
                                                           run->expect_all_have_run();
                                                       }};
            if (how == Leaves::kWaits) {
                run->let_wait(0);
                threads.push_back([=] { run->fulfil(0); });
            } else {
                run->let_yield(0);
            }
            return Program(std::move(threads), [=] { run->check_at_end(); });
        },
        options);
}

constexpr Options kMovingBegun{.preemptions = 1, .max_executions = 30'000};

TEST(ExploredMoving, ATaskThatWaitsGoesOnOnceOnEitherMember) {
    expect_pass((moving<Moving, 2>(Leaves::kWaits, kMovingBegun)));
    expect_pass((moving<Moving, 3>(Leaves::kWaits, kMovingBegun)));
}

TEST(ExploredMoving, ATaskThatYieldsGoesOnOnceOnEitherMember) {
    expect_pass((moving<Moving, 2>(Leaves::kYields, kMovingBegun)));
    expect_pass((moving<Moving, 3>(Leaves::kYields, kMovingBegun)));
}

// The same with less around it: one member starts task 0 and leaves it for task 1. Then both
// members look for task 0 until it has ended. A task that waits is notified by another thread.
template <class Rules> Result moving_alone(Leaves how, const Options& options) {
    using Model = Explored<Rules>;
    return explore::run(
        [=] {
            auto run = std::make_shared<MovingRun<Rules, 2>>(2);
            const auto has_ended = [=] { return run->went_on_now.load(std::memory_order_acquire) == 1; };
            if (how == Leaves::kWaits) run->let_wait(0);
            else run->let_yield(0);
            std::vector<std::function<void()>> threads{[=] {
                                                           auto& worker = run->enter(0);
                                                           Model::create(worker, run->tasks[1]);
                                                           Model::start_apart(worker, run->tasks[0]);
                                                           Model::take_offers(worker, has_ended);
                                                       },
                                                       [=] { Model::take_offers(run->enter(1), has_ended); }};
            if (how == Leaves::kWaits) threads.push_back([=] { run->fulfil(0); });
            return Program(std::move(threads), [=] { run->check_at_end(); });
        },
        options);
}

TEST(ExploredMoving, OneMemberContinuesWhatTheOtherHasLeft) {
    expect_pass(moving_alone<Moving>(Leaves::kYields, kMovingBegun));
    expect_pass(moving_alone<Moving>(Leaves::kWaits, kMovingBegun));
}

// An offer is taken by a load and a store.
struct TakesInTwoSteps : Moving {
    using OfferAtomics = explore::TornStrongExchange;
};

TEST(ExploredMoving, AnOfferIsTakenOnce) {
    EXPECT_NE(moving_alone<TakesInTwoSteps>(Leaves::kYields, {.preemptions = 1}).outcome, Outcome::passed);
}

// ---- Each step is necessary, and so is their order.

// expect comes after the condition has been armed.
struct ExpectsLate : Right {
    template <class A> struct Notification : team::NotificationOver<A> {
        void expect() {}
        void expect_late() { team::NotificationOver<A>::expect(); }
    };
    template <class Condition> struct Leaving {
        Condition& condition;
        bool try_arm() {
            const bool armed = condition.try_arm();
            condition.context.notification.expect_late();
            return armed;
        }
        void disarm() { condition.disarm(); }
    };
};

// The context is suspended before the state for the worker's return has been saved.
struct SuspendsEarly : Right {
    template <class A> struct Notification : team::NotificationOver<A> {
        void suspend_early() { suspended = team::NotificationOver<A>::try_suspend(); }
        bool try_suspend() const { return suspended; }
        bool suspended = false;
    };
    template <class Condition> struct Leaving {
        Condition& condition;
        bool try_arm() {
            const bool armed = condition.try_arm();
            if (armed) condition.context.notification.suspend_early();
            return armed;
        }
        void disarm() { condition.disarm(); }
    };
};

// A notification while the worker leaves is missed.
struct OverlooksNotifications : Right {
    template <class A> struct Notification : team::NotificationOver<A> {
        bool try_suspend() {
            (void)team::NotificationOver<A>::try_suspend();
            return true;
        }
    };
};

// A condition that has become true is missed.
struct OverlooksTheCondition : Right {
    template <class Condition> struct Leaving {
        Condition& condition;
        bool try_arm() {
            (void)condition.try_arm();
            return true;
        }
        void disarm() { condition.disarm(); }
    };
};

// Three mutants: try_suspend is a load and a store; notify is relaxed; two contexts arrive at once.
struct SuspendsInTwoSteps : Right {
    template <class A> using Notification = team::NotificationOver<explore::TornStrongExchange>;
};
struct NotifiesWithoutOrder : Right {
    template <class A> using Notification = team::NotificationOver<explore::RelaxedWeakExchange>;
};
struct ArrivesInTwoSteps : Right {
    using ReadyAtomics = explore::TornWeakExchange;
};

struct WakesNobody : Right {
    template <class A> struct Parker : sync::ParkerOver<A> {
        void unpark(teff_wake_cause cause) {
            if (cause != TEFF_WAKE_EVENT) sync::ParkerOver<A>::unpark(cause);
        }
    };
};
struct WakesTooSoon : Right {
    static constexpr bool kReadyBeforeWoken = false;
};

constexpr Options kTwo{.preemptions = 2, .max_executions = 200'000};

TEST(ExploredSuspension, NotificationsCountFromBeforeTheConditionIsArmed) {
    EXPECT_EQ((alone<ExpectsLate, 2>(kOneWaits, kTwo)).outcome, Outcome::deadlock);
}

TEST(ExploredSuspension, AContextIsSuspendedWhenItKnowsWhatToComeBackTo) {
    EXPECT_EQ((alone<SuspendsEarly, 2>(kOneWaits, kTwo)).outcome, Outcome::data_race);
    EXPECT_EQ((alone<NotifiesWithoutOrder, 2>(kOneWaits, kTwo)).outcome, Outcome::data_race);
}

TEST(ExploredSuspension, WhatHappensWhileAWorkerLeavesIsNotOverlooked) {
    EXPECT_EQ((alone<OverlooksNotifications, 2>(kOneWaits, kTwo)).outcome, Outcome::deadlock);
    EXPECT_EQ((alone<OverlooksTheCondition, 2>(kOneWaits, kTwo)).outcome, Outcome::deadlock);
    EXPECT_EQ((alone<SuspendsInTwoSteps, 2>(kOneWaits, kTwo)).outcome, Outcome::deadlock);
}

TEST(ExploredSuspension, ANotificationThatDoesNotWakeOrWakesTooSoonHangs) {
    EXPECT_EQ((alone<WakesNobody, 2>(kTwoWait, kTwo)).outcome, Outcome::deadlock);
    EXPECT_EQ((alone<WakesTooSoon, 2>(kTwoWait, kTwo)).outcome, Outcome::deadlock);
    EXPECT_NE((alone<ArrivesInTwoSteps, 3>(kTwoWait, kTwo)).outcome, Outcome::passed);
}

} // namespace
} // namespace teff::task
