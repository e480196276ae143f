// SPDX-License-Identifier: Apache-2.0
#include "sync/split_count.h"

#include <gtest/gtest.h>
#include <memory>

#include "explore/explore.h"
#include "sync/parker.h"

namespace teff::sync {
namespace {

using enum std::memory_order;
using explore::Program;
using explore::Result;

// Additions and subtractions in two steps, so that one can get lost between them.
struct TornUpdates : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        T fetch_sub(T by, std::memory_order order) {
            const T before = this->load(acquire);
            this->exchange(before - by, order);
            return before;
        }
    };
};

// Loads and updates are relaxed.
struct RelaxedOrders : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        T load(std::memory_order) const { return explore::atomic<T>::load(relaxed); }
        T fetch_add(T by, std::memory_order) { return explore::atomic<T>::fetch_add(by, relaxed); }
        T fetch_sub(T by, std::memory_order) { return explore::atomic<T>::fetch_sub(by, relaxed); }
    };
};

// A task with three children: one ends at home, two end away. The home worker waits as sched/wait.h
// does.
template <class Atomics> struct Family {
    SplitCountOver<Atomics> count;
    ParkerOver<explore::Atomics> home;
    explore::Var<int> results[2];
    int awake = 0; // how often a thread was asked to wake the home worker

    Family() {
        count.reset();
        for (int child = 0; child < 3; ++child)
            count.begin_home();
    }

    void end_away(int child) {
        results[child] = 1;
        const Last last = count.end_away();
        EXPLORE_CHECK(last != Last::kReclaim);
        if (last == Last::kNotifyHome) home.unpark(TEFF_WAKE_EVENT);
    }

    void wait() {
        while (!count.none_left()) {
            if (!count.try_open_to_waiting()) continue;
            if (!count.none_left()) home.park();
            count.unfold();
        }
    }
};

template <class Atomics> Result wait_for_children(const explore::Options& options) {
    return explore::run(
        [] {
            auto family = std::make_shared<Family<Atomics>>();
            auto home = [=] {
                family->count.end_home();
                family->wait();
                EXPLORE_CHECK(family->results[0] + family->results[1] == 2);
                EXPLORE_CHECK(family->count.none_left());
            };
            return Program({home, [=] { family->end_away(0); }, [=] { family->end_away(1); }});
        },
        options);
}

TEST(SplitCount, TheHomeWorkerIsWokenByTheLast) {
    const Result result = wait_for_children<explore::Atomics>({.preemptions = explore::unbounded, .early_wakes = 1});
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_TRUE(result.exhaustive);
}

TEST(SplitCount, ALostUpdateIsFound) { EXPECT_FALSE(wait_for_children<TornUpdates>({.early_wakes = 1}).passed()); }

TEST(SplitCount, ResultsNeedTheOrderOfTheLastUpdate) {
    EXPECT_EQ(wait_for_children<RelaxedOrders>({.early_wakes = 1}).outcome, explore::Outcome::data_race);
}

// The task itself ends while two children still run elsewhere: exactly one of the three reclaims
// it, after all have ended.
template <class Atomics> Result end_before_children(bool one_begins_another) {
    return explore::run(
        [=] {
            struct Shared {
                SplitCountOver<Atomics> count;
                explore::Var<int> block{1}; // 0: reclaimed
                int reclaimed = 0;
                void reclaim() {
                    block = 0;
                    ++reclaimed;
                }
                void end_child() {
                    EXPLORE_CHECK(block == 1);
                    const Last last = count.end_away();
                    EXPLORE_CHECK(last != Last::kNotifyHome);
                    if (last == Last::kReclaim) reclaim();
                }
            };
            auto shared = std::make_shared<Shared>();
            shared->count.reset();
            shared->count.begin_home();
            shared->count.begin_home();
            auto home = [=] {
                if (shared->count.none_left() || !shared->count.try_open_to_finished()) shared->reclaim();
            };
            auto child = [=] { shared->end_child(); };
            auto child_with_another = [=] {
                if (one_begins_another) shared->count.begin_away(); // as in a taskgroup
                shared->end_child();
                if (one_begins_another) shared->end_child();
            };
            return Program({home, child, child_with_another}, [=] { EXPLORE_CHECK(shared->reclaimed == 1); });
        },
        {.preemptions = explore::unbounded});
}

TEST(SplitCount, TheLastOneReclaims) {
    for (const bool another : {false, true}) {
        const Result result = end_before_children<explore::Atomics>(another);
        EXPECT_TRUE(result.passed()) << result;
        EXPECT_TRUE(result.exhaustive);
    }
    EXPECT_FALSE(end_before_children<TornUpdates>(false).passed());
    EXPECT_EQ(end_before_children<RelaxedOrders>(false).outcome, explore::Outcome::data_race);
}

// The home worker withdraws its request, because it found a task to run meanwhile, and makes the
// request again later.
TEST(SplitCount, ARequestCanBeTakenBackAtAnyTime) {
    const Result result = explore::run(
        [] {
            auto family = std::make_shared<Family<explore::Atomics>>();
            auto home = [=] {
                if (family->count.try_open_to_waiting()) family->count.unfold();
                family->count.begin_home(); // the task that it found: a child that creates and ends another child
                family->count.end_home();
                family->count.end_home();
                family->wait();
                EXPLORE_CHECK(family->results[0] + family->results[1] == 2);
                if (!family->count.none_left()) family->count.unfold();
                EXPLORE_CHECK(!family->count.try_open_to_waiting()); // stays open
                EXPLORE_CHECK(!family->count.try_open_to_finished());
            };
            return Program({home, [=] { family->end_away(0); }, [=] { family->end_away(1); }});
        },
        {.preemptions = explore::unbounded, .early_wakes = 1});
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_TRUE(result.exhaustive);
}

TEST(SplitCount, HomeAndAwayPartsMayHaveOppositeSigns) {
    SplitCount count;
    count.reset();
    EXPECT_TRUE(count.none_left());
    count.begin_home();
    count.begin_home();
    EXPECT_EQ(count.end_away(), Last::kNo); // begun at home, ended away: away is below zero
    EXPECT_FALSE(count.none_left());
    count.end_home();
    EXPECT_TRUE(count.none_left());
    count.begin_away();
    EXPECT_FALSE(count.none_left());
    count.end_home(); // begun away, ended at home
    EXPECT_TRUE(count.none_left());
    EXPECT_FALSE(count.try_open_to_waiting());
    EXPECT_TRUE(count.none_left());
}

TEST(SplitCount, ARequestIsAnsweredOnceAndTakenBack) {
    SplitCount count;
    count.reset();
    count.begin_home();
    count.begin_home();
    ASSERT_TRUE(count.try_open_to_waiting());
    EXPECT_FALSE(count.none_left());
    EXPECT_EQ(count.end_away(), Last::kNo);
    EXPECT_EQ(count.end_away(), Last::kNotifyHome);
    EXPECT_TRUE(count.none_left());
    count.unfold();
    EXPECT_TRUE(count.none_left());
    count.begin_home();
    EXPECT_TRUE(count.try_open_to_finished());
    EXPECT_EQ(count.end_away(), Last::kReclaim);
}

} // namespace
} // namespace teff::sync
