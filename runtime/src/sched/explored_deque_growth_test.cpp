// SPDX-License-Identifier: Apache-2.0
//
// Tests the deque under the explorer while its owner grows it: thieves use an old value of top, an
// old ring, or both. deque_test.cpp tests the deque with a ring of constant size.
#include <array>
#include <functional>
#include <gtest/gtest.h>
#include <iostream>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "explore/explore.h"
#include "explore/mutants.h"
#include "sched/deque.h"

namespace teff::sched {
namespace {

using enum std::memory_order;
using explore::Options;
using explore::Outcome;
using explore::Program;
using explore::Result;

struct Item {
    explore::Var<int> made;
    int taken = 0;
};

// How a thief interprets an empty slot.
enum class Empty : bool { kLostRace, kNothingThere };

// A deque that begins with two slots and two items. Before these items, `taken_before` others went
// through the deque, so that the ring wraps.
template <class Atomics> struct Shared {
    DequeOver<Atomics, Item> deque;
    std::array<Item, 6> items;
    unsigned pushed = 0;
    bool comes_out_empty = false; // a thief has found no item

    explicit Shared(unsigned taken_before) {
        EXPLORE_CHECK(deque.try_grow(2));
        for (unsigned i = 0; i < taken_before; ++i) {
            push();
            steal();
        }
        push();
        push();
    }
    ~Shared() { deque.free_memory(); }

    void push() {
        Item& item = items[pushed++];
        item.made = 1;
        if (deque.push(&item)) return;
        EXPLORE_CHECK(deque.try_grow(0));
        EXPLORE_CHECK(deque.push(&item));
    }
    void pop() { take(deque.pop(0)); }

    // Steals as in a thorough look (work_stealing.h).
    void steal(Empty empty = Empty::kLostRace) {
        for (;;) {
            bool lost = false, asked = false;
            Item* const item = deque.steal_if(
                [&](Item* seen) {
                    EXPLORE_CHECK(seen >= items.data() && seen < items.data() + items.size());
                    return asked = true;
                },
                &lost);
            if (item != nullptr) return take(item);
            if (!lost || (!asked && empty == Empty::kNothingThere)) break;
        }
        comes_out_empty = true;
    }

    void take(Item* item) {
        if (item == nullptr) return;
        EXPLORE_CHECK(item->made == 1);
        ++item->taken;
    }

    void check_at_end() {
        while (Item* item = deque.pop(0))
            take(item);
        EXPLORE_CHECK(deque.looks_empty());
        for (unsigned i = 0; i < items.size(); ++i)
            EXPLORE_CHECK(items[i].taken == (i < pushed ? 1 : 0));
    }
};

struct Scene {
    unsigned taken_before = 0;
    unsigned thieves = 1;
    unsigned steals = 2;
    unsigned owner_steals = 0; // the owner takes the oldest item of its own queue, as for a task on
                               // a stack of its own (work_stealing.h)
    unsigned pushes = 1;
    unsigned pops = 0;
    Empty empty = Empty::kLostRace;
    bool must_find = false; // there are enough items from the beginning, and the owner takes no item
};

template <class Atomics> Result explore_growth(const Scene& scene, const Options& options) {
    return explore::run(
        [=] {
            auto shared = std::make_shared<Shared<Atomics>>(scene.taken_before);
            auto owner = [=] {
                for (unsigned i = 0; i < scene.owner_steals; ++i)
                    shared->steal();
                for (unsigned i = 0; i < scene.pushes; ++i)
                    shared->push();
                for (unsigned i = 0; i < scene.pops; ++i)
                    shared->pop();
            };
            auto thief = [=] {
                for (unsigned i = 0; i < scene.steals; ++i)
                    shared->steal(scene.empty);
            };
            std::vector<std::function<void()>> threads{owner};
            for (unsigned i = 0; i < scene.thieves; ++i)
                threads.emplace_back(thief);
            return Program(threads, [=] {
                EXPLORE_CHECK(!scene.must_find || !shared->comes_out_empty);
                shared->check_at_end();
            });
        },
        options);
}

void expect_pass(const Result& result) {
    EXPECT_TRUE(result.passed()) << result;
    std::cout << result << "\n";
}
void expect_complete_pass(const Result& result) {
    expect_pass(result);
    EXPECT_TRUE(result.complete) << result;
}

constexpr Scene kOneGrowth = {};
constexpr Scene kWrapped = {.taken_before = 1};
constexpr Scene kThreeSteals = {.steals = 3};
constexpr Scene kTwoGrowths = {.steals = 1, .pushes = 3};
constexpr Scene kGrowsAndTakes = {.steals = 2, .pushes = 1, .pops = 3};
constexpr Scene kOldTop = {.steals = 1, .owner_steals = 1, .pushes = 2, .must_find = true};
constexpr Scene kTwoThieves = {.thieves = 2, .steals = 1, .must_find = true};

TEST(ExploredDequeGrowth, NothingIsLostAndNothingIsTakenTwice) {
    expect_complete_pass(explore_growth<explore::Atomics>(kOneGrowth, {.preemptions = 2}));
    expect_complete_pass(explore_growth<explore::Atomics>(kWrapped, {.preemptions = 1}));
    expect_complete_pass(explore_growth<explore::Atomics>(kThreeSteals, {.preemptions = 1}));
    expect_complete_pass(explore_growth<explore::Atomics>(kTwoGrowths, {.preemptions = 1}));
    expect_complete_pass(explore_growth<explore::Atomics>(kGrowsAndTakes, {.preemptions = 2}));
}

TEST(ExploredDequeGrowth, NoThiefGoesAwayFromWhatIsThere) {
    expect_complete_pass(explore_growth<explore::Atomics>(kOldTop, {.preemptions = 2}));
    expect_pass(explore_growth<explore::Atomics>(kTwoThieves, {.preemptions = 1, .max_executions = 50'000}));
}

// The new ring is published, or loaded, with relaxed order ([deque-4]).
struct RelaxedRingStore : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        void store(T value, std::memory_order order) {
            explore::atomic<T>::store(value, std::is_pointer_v<T> ? relaxed : order);
        }
    };
};
struct RelaxedRingLoad : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        T load(std::memory_order order) const {
            return explore::atomic<T>::load(std::is_pointer_v<T> ? relaxed : order);
        }
    };
};

// A thief loads the ring before it loads bottom: it uses the ring of its previous look.
struct RingBeforeBottom : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        T load(std::memory_order order) const {
            const T now = explore::atomic<T>::load(order);
            if (!std::is_pointer_v<T> || order != acquire) return now;
            const T of_last_look = std::exchange(before, now);
            return of_last_look != T{} ? of_last_look : now;
        }
        mutable T before{};
    };
};

// The slots of a new ring contain the previous contents of that memory ([deque-5]).
struct DirtySlots : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        atomic() : explore::atomic<T>(dirt()) {}
        static T dirt() {
            if constexpr (std::is_pointer_v<T>) return reinterpret_cast<T>(alignof(std::max_align_t));
            else return T{};
        }
    };
};

// An owner and a thief that both want the last item may miss each other ([deque-2]).
struct WeakPop : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        void store(T value, std::memory_order order) {
            explore::atomic<T>::store(value, order == seq_cst ? release : order);
        }
    };
};

constexpr Options kTwo{.preemptions = 2};

TEST(ExploredDequeGrowth, WeakenedProtocolsAreCaught) {
    EXPECT_EQ(explore_growth<RelaxedRingStore>(kOneGrowth, kTwo).outcome, Outcome::lifetime_error);
    EXPECT_EQ(explore_growth<RelaxedRingLoad>(kOneGrowth, kTwo).outcome, Outcome::lifetime_error);
    EXPECT_EQ(explore_growth<RingBeforeBottom>(kThreeSteals, kTwo).outcome, Outcome::check_failed);
    EXPECT_EQ(explore_growth<DirtySlots>(kOldTop, kTwo).outcome, Outcome::check_failed);
    EXPECT_EQ(explore_growth<explore::TornStrongExchange>(kGrowsAndTakes, kTwo).outcome, Outcome::check_failed);
    EXPECT_EQ(explore_growth<WeakPop>(kGrowsAndTakes, kTwo).outcome, Outcome::check_failed);
}

TEST(ExploredDequeGrowth, AThiefThatTakesAnEmptySlotForAnEmptyDequeGoesAway) {
    Scene scene = kOldTop;
    scene.empty = Empty::kNothingThere;
    EXPECT_EQ(explore_growth<explore::Atomics>(scene, kTwo).outcome, Outcome::check_failed);
}

} // namespace
} // namespace teff::sched
