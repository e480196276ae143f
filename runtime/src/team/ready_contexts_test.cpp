// SPDX-License-Identifier: Apache-2.0
#include "team/ready_contexts.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "explore/explore.h"
#include "explore/mutants.h"

namespace teff::team {
namespace {

using enum std::memory_order;
using explore::Options;
using explore::Outcome;
using explore::Program;
using explore::Result;

// An arrival is a load and a store.
using TornArrival = explore::TornWeakExchange;

// The worker takes the arrived contexts by a load followed by a store.
struct TornTaking : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        T exchange(T value, std::memory_order) {
            const T before = this->load(acquire);
            this->store(value, release);
            return before;
        }
    };
};

using RelaxedArrival = explore::RelaxedWeakExchange;

struct RelaxedTaking : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        T exchange(T value, std::memory_order) { return explore::atomic<T>::exchange(value, relaxed); }
    };
};

// Two threads add contexts, three in all. Meanwhile the worker takes some, and sets one of them
// aside again. At the end it takes the rest.
template <class Atomics> struct Shared {
    struct Context {
        PlaceInLine<Context> line;
        std::int32_t priority = 0;
        explore::Var<int> message{0};
        int taken = 0;
    };

    ReadyContextsOver<Atomics, Context> ready;
    std::array<Context, 3> contexts;

    void arrive(Context& context) {
        context.message = 7;
        ready.arrive(context);
    }
    Context* take() {
        Context* const context = ready.take();
        if (context == nullptr) return nullptr;
        EXPLORE_CHECK(context->message == 7);
        ++context->taken;
        return context;
    }
    void check_at_end() {
        std::array<Context*, 3> order{};
        for (std::size_t i = 0; Context* context = take(); ++i)
            order.at(i) = context;
        const auto place = [&](const Context& context) { return std::find(order.begin(), order.end(), &context); };
        const bool both = place(contexts[0]) != order.end() && place(contexts[1]) != order.end();
        EXPLORE_CHECK(!both || place(contexts[0]) < place(contexts[1])); // as they came, from one thread
        for (const Context& context : contexts)
            EXPLORE_CHECK(context.taken == 1);
        EXPLORE_CHECK(!ready.any());
    }
};

template <class Atomics> Result bring_and_take(const Options& options) {
    return explore::run(
        [] {
            auto shared = std::make_shared<Shared<Atomics>>();
            auto two = [=] {
                shared->arrive(shared->contexts[0]);
                shared->arrive(shared->contexts[1]);
            };
            auto one = [=] { shared->arrive(shared->contexts[2]); };
            auto worker = [=] {
                auto* const first = shared->take();
                (void)shared->take();
                if (first == &shared->contexts[0]) {
                    --first->taken;
                    shared->ready.put_at_head(*first);
                }
                (void)shared->take();
            };
            return Program({worker, two, one}, [=] { shared->check_at_end(); });
        },
        options);
}

TEST(ReadyContexts, WhoArrivesIsTakenOnce) {
    const Result result = bring_and_take<explore::Atomics>({.preemptions = 4});
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_TRUE(result.complete) << result;
}

TEST(ReadyContexts, WeakenedProtocolsAreCaught) {
    EXPECT_EQ(bring_and_take<TornArrival>({}).outcome, Outcome::check_failed);
    EXPECT_EQ(bring_and_take<TornTaking>({}).outcome, Outcome::check_failed);
    EXPECT_EQ(bring_and_take<RelaxedArrival>({}).outcome, Outcome::data_race);
    EXPECT_EQ(bring_and_take<RelaxedTaking>({}).outcome, Outcome::data_race);
}

struct Waiting {
    PlaceInLine<Waiting> line;
    std::int32_t priority = 0;
    char name = 0;
};

class ReadyContextsOrder : public testing::Test {
  protected:
    using Ready = ReadyContextsOver<base::RealAtomics, Waiting>;

    Waiting& context(char name, std::int32_t priority = 0) {
        return made_.emplace_back(Waiting{.line = {}, .priority = priority, .name = name});
    }
    void arrive(char name, std::int32_t priority = 0) { ready_.arrive(context(name, priority)); }
    void put_at_head(char name, std::int32_t priority = 0) { ready_.put_at_head(context(name, priority)); }
    void put_at_end(char name, std::int32_t priority = 0) { ready_.put_at_end(context(name, priority)); }

    std::string all() {
        std::string names;
        while (Waiting* const first = ready_.first()) {
            EXPECT_TRUE(ready_.any());
            EXPECT_EQ(ready_.take(), first) << "whoever is first is taken";
            names += first->name;
        }
        EXPECT_FALSE(ready_.any());
        EXPECT_EQ(ready_.take(), nullptr);
        return names;
    }

    std::deque<Waiting> made_; // addresses stay
    Ready ready_;
};

TEST_F(ReadyContextsOrder, OfOnePriorityThatOfArrival) {
    EXPECT_EQ(all(), "");
    arrive('a'), arrive('b'), arrive('c');
    EXPECT_EQ(all(), "abc");
    arrive('d'), put_at_end('e'), arrive('f');
    EXPECT_EQ(all(), "edf") << "an arrival is in line from the worker's next look on";
}

TEST_F(ReadyContextsOrder, HigherPrioritiesGoFirst) {
    arrive('a', 1), arrive('b', 5), arrive('c', 3), arrive('d', 5), arrive('e'), arrive('f', 3), arrive('g', 1);
    EXPECT_EQ(all(), "bdcfage");
    put_at_head('a'), put_at_head('b', 2), put_at_end('c', 9), put_at_head('d', 4);
    EXPECT_EQ(all(), "cdba");
}

TEST_F(ReadyContextsOrder, WhoIsPutAtTheHeadGoesBeforeItsLevel) {
    arrive('a', 2), arrive('b', 1), arrive('c', 2);
    ASSERT_EQ(ready_.first()->name, 'a');
    put_at_head('x', 2), put_at_head('y', 1), put_at_head('z', 2);
    EXPECT_EQ(all(), "zxacyb");
}

TEST_F(ReadyContextsOrder, WhoLeavesAndComesBackKeepsTheLineWhole) {
    arrive('a'), arrive('b'), arrive('c');
    Waiting* const a = ready_.take();
    ready_.put_at_end(*a);
    Waiting* const b = ready_.take();
    ready_.put_at_head(*b);
    arrive('d');
    EXPECT_EQ(all(), "bcad");
}

TEST_F(ReadyContextsOrder, OnlySoManyInARowGoToTheHead) {
    put_at_end('-');
    for (unsigned i = 0; i < Ready::kMostAhead; ++i)
        put_at_head('h');
    put_at_head('l'); // one too many
    put_at_head('f'); // and the count begins again
    const std::string heads(Ready::kMostAhead, 'h');
    EXPECT_EQ(all(), "f" + heads + "-l");
}

TEST_F(ReadyContextsOrder, ManyLevels) {
    constexpr int kLevels = 300;
    std::vector<int> priorities;
    for (int i = 0; i < 3 * kLevels; ++i)
        priorities.push_back(i % kLevels);
    std::shuffle(priorities.begin(), priorities.end(), std::mt19937(7));
    for (const int priority : priorities)
        arrive('x', priority);
    std::vector<int> taken;
    while (const Waiting* const context = ready_.take())
        taken.push_back(context->priority);
    std::sort(priorities.rbegin(), priorities.rend());
    EXPECT_EQ(taken, priorities);
}

TEST(ReadyContextsOnThreads, EachThreadsArrivalsKeepTheirOrder) {
    constexpr unsigned kThreads = 3, kEach = 20'000;
    struct Context {
        PlaceInLine<Context> line;
        std::int32_t priority = 0;
        unsigned thread = 0, number = 0;
    };
    std::vector<Context> contexts(kThreads * kEach);
    ReadyContextsOver<base::RealAtomics, Context> ready;
    std::vector<std::thread> threads;
    for (unsigned thread = 0; thread < kThreads; ++thread)
        threads.emplace_back([&, thread] {
            for (unsigned i = 0; i < kEach; ++i) {
                Context& context = contexts[thread * kEach + i];
                context.thread = thread;
                context.number = i;
                ready.arrive(context);
            }
        });
    std::array<unsigned, kThreads> next{};
    for (unsigned taken = 0; taken < kThreads * kEach;) {
        const Context* const context = ready.take();
        if (context == nullptr) {
            std::this_thread::yield();
            continue;
        }
        ++taken;
        ASSERT_EQ(context->number, next[context->thread]++);
    }
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_FALSE(ready.any());
}

} // namespace
} // namespace teff::team
