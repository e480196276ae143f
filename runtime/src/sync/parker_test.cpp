// SPDX-License-Identifier: Apache-2.0
#include "sync/parker.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "explore/explore.h"

namespace teff::sync {
namespace {

using enum std::memory_order;
using explore::Program;
using explore::Result;

// Takes a token by a plain store, which may stay in the store buffer while the owner checks its
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

// Leaves tokens without a wake-up.
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
                shared->parker.unpark(TEFF_WAKE_EVENT);
            };
            return Program({owner, event, event}, [=] { EXPLORE_CHECK(shared->events.load(relaxed) == 2); });
        },
        options);
}

constexpr auto kPark = [](auto& parker) { parker.park(); };
constexpr auto kParkFor = [](auto& parker) { parker.park_for(1'000); };
constexpr auto kSleepFor = [](auto& parker) { return parker.park_for(1'000); };

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

// The owner parks once and then reads data written before the unpark: [park-1].
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
                shared->parker.unpark(TEFF_WAKE_EVENT);
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
        hand_over<explore::Atomics>(true); // the message may not have arrived: the sleep may end first
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_TRUE(result.exhaustive);
}

// The wake-ups recorded by the wakers, and the sleeps recorded by the owner: base/wakes.h.
struct Told {
    std::vector<base::Wake> wakes;
    void begin() { base::this_threads_wakes = {.record = tell, .stream = this}; }
    static void end() { base::this_threads_wakes = {}; }
    std::vector<std::uint32_t> sleeps() const {
        std::vector<std::uint32_t> all;
        for (const base::Wake& wake : wakes)
            all.push_back(wake.sleep);
        return all;
    }

  private:
    static void tell(void* told, const base::Wake& wake) { static_cast<Told*>(told)->wakes.push_back(wake); }
};

// The owner sleeps twice, with or without a time limit, while two wakers unpark it. In every
// interleaving, the wakers record exactly those sleeps that, according to the owner, another thread
// has ended: each once, and none that ended by its time limit.
template <class Park> Result tell_of_sleeps(Park park, std::vector<std::size_t>& seen) {
    return explore::run(
        [park, &seen] {
            struct Shared {
                ParkerOver<explore::Atomics> parker;
                Told told;
                std::vector<std::uint32_t> ended;
            };
            auto shared = std::make_shared<Shared>();
            shared->parker.belong_to(5);
            shared->told.begin(); // the explorer runs all on this thread
            auto owner = [=] {
                for (int i = 0; i < 2; ++i)
                    if (const std::uint32_t sleep = park(shared->parker); sleep != 0) shared->ended.push_back(sleep);
            };
            auto waker = [=] { shared->parker.unpark(TEFF_WAKE_TASK); };
            return Program({owner, waker, waker}, [=, &seen] {
                const std::vector<std::uint32_t> told = shared->told.sleeps();
                EXPLORE_CHECK(
                    std::is_permutation(told.begin(), told.end(), shared->ended.begin(), shared->ended.end()));
                EXPLORE_CHECK(told.size() < 2 || told[0] != told[1]);
                for (const base::Wake& wake : shared->told.wakes)
                    EXPLORE_CHECK(wake.sleeper == 5 && wake.cause == TEFF_WAKE_TASK);
                seen.push_back(told.size());
                Told::end();
            });
        },
        {.preemptions = explore::unbounded, .early_wakes = 1});
}

TEST(Parker, EachSleepThatAnotherEndsHasOneWaker) {
    std::vector<std::size_t> seen;
    const Result result = tell_of_sleeps(kSleepFor, seen);
    Told::end();
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_TRUE(result.exhaustive);
    for (std::size_t wakes = 0; wakes <= 2; ++wakes)
        EXPECT_TRUE(std::count(seen.begin(), seen.end(), wakes) > 0) << wakes;
}

TEST(ParkerOnThreads, ASleepIsToldByItsWakerAlone) {
    Parker parker;
    parker.belong_to(3);
    Told told, of_sleeper;
    std::atomic<bool> sleeps{false};
    std::uint32_t ended = 0, in_vain = 1;
    std::thread sleeper([&] {
        of_sleeper.begin();
        in_vain = parker.park_for(1'000'000);
        sleeps.store(true);
        ended = parker.park();
    });
    told.begin();
    while (!sleeps.load())
        std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20)); // by then it almost certainly sleeps
    const base::Ticks before = base::ticks();
    parker.unpark(TEFF_WAKE_JOIN);
    parker.unpark(TEFF_WAKE_JOIN); // the owner is awake, or has its token
    const base::Ticks after = base::ticks();
    sleeper.join();
    Told::end();
    EXPECT_EQ(in_vain, 0u) << "nobody has ended it";
    EXPECT_TRUE(of_sleeper.wakes.empty());
    if (ended == 0) GTEST_SKIP() << "it came too late to sleep";
    ASSERT_EQ(told.wakes.size(), 1u);
    const base::Wake& wake = told.wakes[0];
    EXPECT_EQ(wake.sleep, ended);
    EXPECT_EQ(wake.sleeper, 3u);
    EXPECT_EQ(wake.cause, TEFF_WAKE_JOIN);
    EXPECT_GE(wake.when, before);
    EXPECT_LE(wake.when + wake.ticks, after);
}

TEST(ParkerOnThreads, ATokenGivenAheadEndsTheNextPark) {
    Parker parker;
    parker.unpark(TEFF_WAKE_EVENT);
    parker.unpark(TEFF_WAKE_EVENT); // tokens do not add up
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
            parkers[1 - me].unpark(TEFF_WAKE_EVENT);
        }
    };
    std::thread other(play, 1);
    play(0);
    other.join();
    EXPECT_EQ(turn.load(), kTurns);
}

} // namespace
} // namespace teff::sync
