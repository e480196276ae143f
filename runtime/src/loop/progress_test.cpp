// SPDX-License-Identifier: Apache-2.0
//
// Tests Progress: all interleavings of small cases, weakened variants that must be detected, and
// real threads.
#include "loop/progress.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "explore/explore.h"

namespace teff::loop {
namespace {

using enum std::memory_order;
using explore::Program;
using explore::Result;

constexpr auto kNever = [] { return false; };

// The wanted number and the new number may miss each other ([progress-2]).
struct WithoutTotalOrder : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        T exchange(T value, std::memory_order) {
            const T before = this->load(relaxed);
            this->store(value, release);
            return before;
        }
    };
};

// Raises the number without a wake-up.
struct SilentBell : explore::Atomics {
    template <class Word> static void wake(Word&, int) {}
};

// The bell does not publish the reset of `wanted` ([progress-3]).
struct UnchangedBell : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        T fetch_add(T, std::memory_order) { return this->load(relaxed); }
    };
};

template <class Atomics> struct Shared {
    ProgressOver<Atomics> progress;
    explore::Var<int> data{0};
};

// One thread raises the number to 1, then to 2; one thread waits for each.
template <class Atomics> Result two_wait(const explore::Options& options) {
    return explore::run(
        [] {
            auto shared = std::make_shared<Shared<Atomics>>();
            auto raiser = [=] {
                shared->data.set(7);
                shared->progress.raise(1);
                shared->progress.raise(2);
            };
            auto waiter = [=](std::uint64_t number) {
                shared->progress.wait_for(number, 0, 0, kNever);
                EXPLORE_CHECK(shared->data.get() == 7);
            };
            return Program({raiser, [=] { waiter(1); }, [=] { waiter(2); }},
                           [=] { EXPLORE_CHECK(shared->progress.is(2)); });
        },
        options);
}

TEST(Progress, NoWakeUpIsLost) {
    const Result result = two_wait<explore::Atomics>({.preemptions = 3, .early_wakes = 1});
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_TRUE(result.complete);
}

TEST(Progress, ExplorerCatchesWeakenedVariants) {
    EXPECT_FALSE(two_wait<WithoutTotalOrder>({.preemptions = 3}).passed());
    EXPECT_FALSE(two_wait<SilentBell>({.preemptions = 3}).passed());
    EXPECT_FALSE(two_wait<UnchangedBell>({.preemptions = 3}).passed());
}

TEST(Progress, ALowerNumberChangesNothing) {
    Progress progress;
    EXPECT_TRUE(progress.is(0));
    EXPECT_FALSE(progress.is(1));
    progress.raise(5);
    progress.raise(3);
    EXPECT_TRUE(progress.is(5));
    EXPECT_FALSE(progress.is(6));
}

TEST(Progress, HighestNumberCanBeWaitedFor) {
    constexpr std::uint64_t kHighest = ~std::uint64_t{0};
    Progress progress;
    std::thread waiter([&] { progress.wait_for(kHighest, 0, 0, kNever); });
    progress.raise(kHighest - 1);
    progress.raise(kHighest);
    waiter.join();
    EXPECT_TRUE(progress.is(kHighest));
}

TEST(Progress, WaiterGivesUpWhenTold) {
    Progress progress;
    std::atomic<bool> give_up{false};
    std::thread waiter([&] { progress.wait_for(9, 5, 1'000'000, [&] { return give_up.load(); }); });
    give_up = true; // the waiter is not notified: it checks again by itself
    waiter.join();
    EXPECT_FALSE(progress.is(9));
}

TEST(Progress, ManyWaitersForDifferentNumbers) {
    constexpr std::uint64_t kLast = 3000;
    Progress progress;
    std::vector<std::uint64_t> data(kLast + 1);
    std::vector<std::thread> waiters;
    for (std::uint64_t step = 1; step <= 6; ++step)
        waiters.emplace_back([&, step] {
            for (std::uint64_t number = step; number <= kLast; number += step) {
                progress.wait_for(number, step % 2 * 20, 0, kNever);
                EXPECT_EQ(data[number], number);
            }
        });
    for (std::uint64_t number = 1; number <= kLast; ++number) {
        data[number] = number;
        progress.raise(number);
    }
    for (std::thread& waiter : waiters)
        waiter.join();
}

} // namespace
} // namespace teff::loop
