// SPDX-License-Identifier: Apache-2.0
#include "sched/deque.h"

#include <array>
#include <atomic>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "explore/explore.h"
#include "explore/mutants.h"

namespace teff::sched {
namespace {

using enum std::memory_order;
using explore::Options;
using explore::Program;
using explore::Result;

constexpr auto kAllow = [](auto*) { return true; };

// The seq_cst stores of [deque-2] are release stores.
struct WeakPop : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        void store(T value, std::memory_order order) {
            explore::atomic<T>::store(value, order == seq_cst ? release : order);
        }
    };
};

// The release of [deque-1] is missing.
struct WeakPush : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        void store(T value, std::memory_order order) {
            explore::atomic<T>::store(value, order == release ? relaxed : order);
        }
    };
};

// The compare-exchange of [deque-3] is a load followed by a store.
using TornTaking = explore::TornStrongExchange;

struct Item {
    explore::Var<int> made;
    int taken = 0;
};

// A deque of two slots, and five items. Items that no thread took are taken at the end.
template <class Atomics> struct Shared {
    DequeOver<Atomics, Item> deque;
    std::array<Item, 5> items;
    int pushed = 0;

    Shared() { EXPLORE_CHECK(deque.try_grow(2)); }
    ~Shared() { deque.free_memory(); }

    // As in task creation: an item that does not fit is run at once.
    void push() {
        Item& item = items[static_cast<std::size_t>(pushed++)];
        item.made = 1;
        if (!deque.push(&item)) take(&item);
    }
    void pop(std::int64_t floor = 0) { take(deque.pop(floor)); }
    void steal() { take(deque.steal_if(kAllow)); }

    void take(Item* item) {
        if (item == nullptr) return;
        EXPLORE_CHECK(item->made == 1);
        ++item->taken;
    }

    void check_at_end() {
        while (Item* item = deque.pop(0))
            take(item);
        EXPLORE_CHECK(deque.looks_empty());
        for (int i = 0; i < 5; ++i)
            EXPLORE_CHECK(items[static_cast<std::size_t>(i)].taken == (i < pushed ? 1 : 0));
    }
};

template <class Atomics> using Body = void (*)(Shared<Atomics>&);

template <class Atomics> Result explore_deque(const Options& options, Body<Atomics> owner, int thieves, int steals) {
    return explore::run(
        [=] {
            auto shared = std::make_shared<Shared<Atomics>>();
            auto thief = [=] {
                for (int i = 0; i < steals; ++i)
                    shared->steal();
            };
            std::vector<std::function<void()>> threads{[=] { owner(*shared); }};
            for (int i = 0; i < thieves; ++i)
                threads.emplace_back(thief);
            return Program(threads, [=] { shared->check_at_end(); });
        },
        options);
}

template <class Atomics> void push_two_pop_two(Shared<Atomics>& shared) {
    for (int i = 0; i < 2; ++i)
        shared.push();
    for (int i = 0; i < 2; ++i)
        shared.pop();
}

// More pushes than slots: some pushes find the ring full, others reuse the slot of a stolen item.
template <class Atomics> void push_through_a_full_ring(Shared<Atomics>& shared) {
    for (int i = 0; i < 4; ++i)
        shared.push();
    shared.pop();
    shared.push();
}

void expect_complete_pass(const Result& result) {
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_TRUE(result.complete) << result;
}

TEST(Deque, EachItemIsTakenOnce) {
    expect_complete_pass(explore_deque<explore::Atomics>({.preemptions = 4}, push_two_pop_two, 1, 2));
    expect_complete_pass(explore_deque<explore::Atomics>({.preemptions = 2}, push_two_pop_two, 2, 1));
}

TEST(Deque, AFullRingAndReusedSlotsLoseNothing) {
    expect_complete_pass(explore_deque<explore::Atomics>({.preemptions = 3}, push_through_a_full_ring, 1, 2));
    expect_complete_pass(explore_deque<explore::Atomics>({.preemptions = 1}, push_through_a_full_ring, 2, 2));
}

TEST(Deque, ThievesShareWhatTheOwnerLeaves) {
    expect_complete_pass(explore_deque<explore::Atomics>(
        {.preemptions = 2}, [](Shared<explore::Atomics>& shared) { shared.push(), shared.push(); }, 2, 2));
}

TEST(Deque, WeakenedProtocolsAreCaught) {
    EXPECT_EQ(explore_deque<WeakPop>({}, push_two_pop_two, 1, 2).outcome, explore::Outcome::check_failed);
    EXPECT_EQ(explore_deque<WeakPush>({}, push_two_pop_two, 1, 2).outcome, explore::Outcome::data_race);
    EXPECT_EQ(explore_deque<TornTaking>({}, push_two_pop_two, 1, 2).outcome, explore::Outcome::check_failed);
}

// Items below the floor belong to tasks further down the owner's stack: thieves may take them, the
// owner's pop must not.
TEST(Deque, PopStopsAtTheFloor) {
    const Result result = explore::run(
        [] {
            auto shared = std::make_shared<Shared<explore::Atomics>>();
            auto owner = [=] {
                shared->push();
                const auto floor = shared->deque.bottom();
                shared->push();
                for (int i = 0; i < 2; ++i) {
                    Item* item = shared->deque.pop(floor);
                    EXPLORE_CHECK(item == nullptr || item == &shared->items[1]);
                    shared->take(item);
                }
                EXPLORE_CHECK(shared->deque.bottom() >= floor);
            };
            auto thief = [=] { shared->steal(); };
            return Program({owner, thief}, [=] {
                const bool first_left = shared->items[0].taken == 0;
                const auto left = shared->deque.pop(0);
                EXPLORE_CHECK((left == &shared->items[0]) == first_left);
                shared->take(left);
                shared->check_at_end();
            });
        },
        {.preemptions = explore::unbounded});
    expect_complete_pass(result);
}

// The owner takes by pop_if, that is, the newest item if it is admitted, while thieves steal.
template <class Atomics> void push_two_pop_two_if(Shared<Atomics>& shared) {
    for (int i = 0; i < 2; ++i)
        shared.push();
    for (int i = 0; i < 3; ++i)
        shared.take(shared.deque.pop_if(kAllow));
}

TEST(Deque, WhatTheOwnerLooksAtFirstIsTakenOnce) {
    expect_complete_pass(explore_deque<explore::Atomics>({.preemptions = 4}, push_two_pop_two_if, 1, 2));
    expect_complete_pass(explore_deque<explore::Atomics>({.preemptions = 2}, push_two_pop_two_if, 2, 1));
    EXPECT_EQ(explore_deque<WeakPop>({}, push_two_pop_two_if, 1, 2).outcome, explore::Outcome::check_failed);
    EXPECT_EQ(explore_deque<WeakPush>({}, push_two_pop_two_if, 1, 2).outcome, explore::Outcome::data_race);
    EXPECT_EQ(explore_deque<TornTaking>({}, push_two_pop_two_if, 1, 2).outcome, explore::Outcome::check_failed);
}

// pop_if takes exactly the item for which it has asked; an item that was not admitted stays.
TEST(Deque, TheOwnerTakesOnlyWhatItMay) {
    const Result result = explore::run(
        [] {
            auto shared = std::make_shared<Shared<explore::Atomics>>();
            auto owner = [=] {
                shared->push();
                shared->push();
                const auto only_first = [=](Item* item) { return item == &shared->items[0]; };
                EXPLORE_CHECK(shared->deque.pop_if(only_first) == nullptr || shared->items[1].taken == 1);
                const auto only_second = [=](Item* item) { return item == &shared->items[1]; };
                Item* const second = shared->deque.pop_if(only_second);
                EXPLORE_CHECK(second == nullptr || second == &shared->items[1]);
                shared->take(second);
                Item* const first = shared->deque.pop_if(only_first);
                EXPLORE_CHECK(first == nullptr || first == &shared->items[0]);
                shared->take(first);
            };
            auto thief = [=] {
                shared->steal();
                shared->steal();
            };
            return Program({owner, thief}, [=] { shared->check_at_end(); });
        },
        {.preemptions = 4});
    expect_complete_pass(result);
}

// A thief to which the oldest item is not admitted takes no item, and the item stays.
TEST(Deque, ThievesTakeOnlyWhatTheyMay) {
    const Result result = explore::run(
        [] {
            auto shared = std::make_shared<Shared<explore::Atomics>>();
            auto owner = [=] {
                shared->push();
                shared->push();
                shared->pop();
            };
            auto thief = [=] {
                const auto refuse_first = [=](Item* item) { return item != &shared->items[0]; };
                Item* item = shared->deque.steal_if(refuse_first);
                EXPLORE_CHECK(item == nullptr); // the first item is the oldest as long as it is there
            };
            return Program({owner, thief}, [=] { shared->check_at_end(); });
        },
        {.preemptions = 4});
    expect_complete_pass(result);
}

TEST(DequeOnThreads, EveryItemIsTakenOnceUnderLoad) {
    constexpr std::uint32_t kSlots = 8;
    constexpr std::size_t kItems = 200'000;
    std::vector<std::atomic<int>> taken(kItems);
    DequeOver<base::RealAtomics, std::atomic<int>> deque;
    ASSERT_TRUE(deque.try_grow(kSlots));
    std::atomic<bool> over{false};
    const auto take = [](std::atomic<int>* item) {
        if (item != nullptr) item->fetch_add(1, relaxed);
    };
    std::vector<std::thread> thieves;
    for (int i = 0; i < 3; ++i)
        thieves.emplace_back([&] {
            while (!over.load(acquire))
                take(deque.steal_if(kAllow));
        });
    for (std::size_t i = 0; i < kItems; ++i) {
        if (!deque.push(&taken[i])) take(&taken[i]);
        if (i % 3 == 0) take(deque.pop(0));
    }
    while (auto* item = deque.pop(0))
        take(item);
    over.store(true, release);
    for (std::thread& thief : thieves)
        thief.join();
    for (std::size_t i = 0; i < kItems; ++i)
        ASSERT_EQ(taken[i].load(), 1) << "item " << i;
    EXPECT_TRUE(deque.looks_empty());
    deque.free_memory();
}

TEST(DequeOnThreads, NothingIsLostWhileItGrows) {
    constexpr std::size_t kItems = 200'000;
    std::vector<std::atomic<int>> taken(kItems);
    DequeOver<base::RealAtomics, std::atomic<int>> deque;
    ASSERT_TRUE(deque.try_grow(2));
    std::atomic<bool> over{false};
    const auto take = [](std::atomic<int>* item) {
        if (item != nullptr) item->fetch_add(1, relaxed);
    };
    std::vector<std::thread> thieves;
    for (int i = 0; i < 3; ++i)
        thieves.emplace_back([&] {
            while (!over.load(acquire))
                take(deque.steal_if(
                    [](const std::atomic<int>* item) { return item->load(relaxed) >= 0; })); // reads the item
        });
    for (std::size_t i = 0; i < kItems; ++i)
        while (!deque.push(&taken[i]))
            ASSERT_TRUE(deque.try_grow(2));
    while (auto* item = deque.pop(0))
        take(item);
    over.store(true, release);
    for (std::thread& thief : thieves)
        thief.join();
    for (std::size_t i = 0; i < kItems; ++i)
        ASSERT_EQ(taken[i].load(), 1) << "item " << i;
    deque.free_memory();
}

TEST(DequeOnOneThread, TheOwnerTakesTheNewestAndThievesTheOldest) {
    int items[4] = {};
    DequeOver<base::RealAtomics, int> deque;
    EXPECT_EQ(deque.capacity(), 0u);
    int none = 0;
    EXPECT_FALSE(deque.push(&none));
    ASSERT_TRUE(deque.try_grow(4));
    EXPECT_EQ(deque.capacity(), 4u);
    EXPECT_TRUE(deque.looks_empty());
    EXPECT_EQ(deque.pop(std::numeric_limits<std::int64_t>::min()), nullptr);
    for (int& item : items)
        ASSERT_TRUE(deque.push(&item));
    int fifth = 0;
    EXPECT_FALSE(deque.push(&fifth));
    EXPECT_EQ(deque.steal_if(kAllow), &items[0]);
    EXPECT_EQ(deque.pop(0), &items[3]);
    EXPECT_EQ(deque.pop(2), &items[2]);
    EXPECT_EQ(deque.pop(2), nullptr);
    EXPECT_FALSE(deque.looks_empty());
    EXPECT_EQ(deque.pop_if([&](int* item) { return item != &items[1]; }), nullptr);
    EXPECT_EQ(deque.pop_if(kAllow), &items[1]);
    EXPECT_EQ(deque.pop_if(kAllow), nullptr);
    EXPECT_TRUE(deque.looks_empty());
    EXPECT_EQ(deque.steal_if(kAllow), nullptr);
    deque.free_memory();
}

TEST(DequeOnOneThread, GrowsAroundWhatIsQueued) {
    std::array<int, 100> items{};
    DequeOver<base::RealAtomics, int> deque;
    ASSERT_TRUE(deque.try_grow(4));
    for (int i = 0; i < 3; ++i) { // so that the ring wraps
        ASSERT_TRUE(deque.push(&items[0]));
        ASSERT_EQ(deque.steal_if(kAllow), &items[0]);
    }
    for (int& item : items)
        if (!deque.push(&item)) {
            ASSERT_TRUE(deque.try_grow(4) && deque.push(&item));
        }
    EXPECT_EQ(deque.capacity(), 128u);
    EXPECT_EQ(deque.size(), 100u);
    EXPECT_EQ(deque.steal_if(kAllow), &items[0]);
    for (int i = 99; i > 0; --i)
        ASSERT_EQ(deque.pop(0), &items[static_cast<std::size_t>(i)]);
    EXPECT_TRUE(deque.looks_empty());
    deque.free_memory();
}

TEST(DequeOnOneThread, StartsInMemoryOfAnotherAndLeavesItThere) {
    using Small = DequeOver<base::RealAtomics, int>;
    int items[3] = {};
    alignas(base::kCacheLine) std::byte memory[Small::bytes_for(2)];
    Small deque; // AddressSanitizer reports memory that it freed too early or leaked
    deque.start_in(memory, 2);
    EXPECT_EQ(deque.capacity(), 2u);
    ASSERT_TRUE(deque.push(&items[0]) && deque.push(&items[1]));
    EXPECT_FALSE(deque.push(&items[2]));
    ASSERT_TRUE(deque.try_grow(0) && deque.push(&items[2]));
    EXPECT_EQ(deque.capacity(), 4u);
    for (int& item : items)
        EXPECT_EQ(deque.steal_if(kAllow), &item);
    deque.free_memory();
}

} // namespace
} // namespace teff::sched
