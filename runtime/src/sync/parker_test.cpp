// SPDX-License-Identifier: Apache-2.0
#include "sync/parker.h"

#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <thread>

#include "base/clock.h"
#include "explore/explore.h"

namespace teff::sync {
namespace {

using enum std::memory_order;
using explore::Program;
using explore::Result;

// Takes a token by a plain store, which may lie in the store buffer while the owner looks at its
// condition ([park-2]).
struct BufferedTaking : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        T exchange(T value, std::memory_order order) {
            if (value != T{}) return explore::atomic<T>::exchange(value, order);
            const T before = this->load(acquire);
            this->store(value, relaxed);
            return before;
        }
    };
};

// Hands out tokens without a wake-up.
struct SilentUnpark : explore::Atomics {
    template <class Word> static void wake(Word&, int) {}
};

// Every exchange and compare-exchange is relaxed.
struct RelaxedOrders : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        T exchange(T value, std::memory_order) { return explore::atomic<T>::exchange(value, relaxed); }
        bool compare_exchange_strong(T& expected, T desired, std::memory_order, std::memory_order) {
            return explore::atomic<T>::compare_exchange_strong(expected, desired, relaxed, relaxed);
        }
    };
};

// Two events, each followed by an unpark; the owner sleeps until it has seen both.
template <class Atomics> struct TwoEvents {
    ParkerOver<Atomics> parker;
    explore::atomic<int> events{0};
};

template <class Atomics, class Park> Result wait_for_two_events(const explore::Options& options, Park park) {
    return explore::run(
        [park] {
            auto shared = std::make_shared<TwoEvents<Atomics>>();
            auto owner = [=] {
                while (shared->events.load(relaxed) < 2)
                    park(shared->parker);
            };
            auto event = [=] {
                shared->events.fetch_add(1, relaxed);
                shared->parker.unpark();
            };
            return Program({owner, event, event}, [=] { EXPLORE_CHECK(shared->events.load(relaxed) == 2); });
        },
        options);
}

constexpr auto kPark = [](auto& parker) { parker.park(); };
constexpr auto kParkFor = [](auto& parker) { parker.park_for(1'000); };

TEST(Parker, NoWakeUpIsLost) {
    const Result result =
        wait_for_two_events<explore::Atomics>({.preemptions = explore::unbounded, .early_wakes = 1}, kPark);
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_TRUE(result.exhaustive);
}

TEST(Parker, AParkWithATimeLimitTakesTokensToo) {
    const Result result =
        wait_for_two_events<explore::Atomics>({.preemptions = explore::unbounded, .early_wakes = 1}, kParkFor);
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_TRUE(result.exhaustive);
}

TEST(Parker, ATokenTakenByAPlainStoreWouldWipeOutTheNext) {
    const Result result = wait_for_two_events<BufferedTaking>({.early_wakes = 1}, kPark);
    EXPECT_EQ(result.outcome, explore::Outcome::deadlock) << result;
}

TEST(Parker, AnUnparkWithoutAWakeUpWouldLeaveTheOwnerAsleep) {
    const Result result = wait_for_two_events<SilentUnpark>({}, kPark);
    EXPECT_EQ(result.outcome, explore::Outcome::deadlock) << result;
}

// The owner parks once and then reads what was written before the unpark: [park-1].
template <class Atomics> Result hand_over(bool with_time_limit) {
    return explore::run(
        [=] {
            struct Shared {
                ParkerOver<Atomics> parker;
                explore::Var<int> message;
                explore::Var<bool> sent;
            };
            auto shared = std::make_shared<Shared>();
            auto owner = [=] {
                if (with_time_limit) shared->parker.park_for(1'000);
                else shared->parker.park();
                if (!with_time_limit) EXPLORE_CHECK(shared->message == 7);
            };
            auto sender = [=] {
                shared->message = 7;
                shared->parker.unpark();
            };
            return Program({owner, sender});
        },
        {.preemptions = explore::unbounded, .early_wakes = 1});
}

TEST(Parker, WhatWasWrittenBeforeUnparkIsSeenAfterPark) {
    const Result result = hand_over<explore::Atomics>(false);
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_TRUE(result.exhaustive);
    EXPECT_EQ(hand_over<RelaxedOrders>(false).outcome, explore::Outcome::data_race);
}

TEST(Parker, ATimeLimitEndsTheSleepWithoutAToken) {
    const Result result =
        hand_over<explore::Atomics>(true); // nothing is expected of the message: the sleep may end first
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_TRUE(result.exhaustive);
}

TEST(ParkerOnThreads, ATokenGivenAheadEndsTheNextPark) {
    Parker parker;
    parker.unpark();
    parker.unpark(); // tokens do not add up
    parker.park();
    const std::uint64_t begin = base::monotonic_ns();
    parker.park_for(2'000'000);
    EXPECT_GE(base::monotonic_ns() - begin, 1'500'000u) << "the second token should not have been there";
}

TEST(ParkerOnThreads, PingPongEndsAfterManyTurns) {
    constexpr int kTurns = 20'000;
    Parker parkers[2];
    std::atomic<int> turn{0};
    auto play = [&](int me) {
        for (int mine = me; mine < kTurns; mine += 2) {
            while (turn.load(acquire) != mine)
                parkers[me].park();
            turn.store(mine + 1, release);
            parkers[1 - me].unpark();
        }
    };
    std::thread other(play, 1);
    play(0);
    other.join();
    EXPECT_EQ(turn.load(), kTurns);
}

} // namespace
} // namespace teff::sync
