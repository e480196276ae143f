// SPDX-License-Identifier: Apache-2.0
#include "preempt/request_word.h"

#include <gtest/gtest.h>
#include <memory>

#include "base/atomics.h"
#include "explore/explore.h"

namespace teff::preempt {
namespace {

using enum std::memory_order;
using explore::Options;
using explore::Program;
using explore::Result;
using Word = RequestWordOver<base::RealAtomics>;

TEST(RequestWord, TheFirstOneSignalsAndFurtherOnesJoin) {
    Word word;
    EXPECT_EQ(word.ask(3), Ask::signal);
    EXPECT_EQ(word.ask(2), Ask::joined);
    EXPECT_EQ(word.asked(), 3u);
    EXPECT_EQ(word.ask(7), Ask::joined);
    EXPECT_EQ(word.take(), 7u);
    EXPECT_EQ(word.take(), 0u);
    EXPECT_EQ(word.ask(Word::kMostPriority), Ask::signal);
    EXPECT_EQ(word.take(), Word::kMostPriority);
}

TEST(RequestWord, ASleeperIsNotSignalledAndLooksWhenItWakesUp) {
    Word word;
    word.fall_asleep();
    EXPECT_EQ(word.ask(3), Ask::asleep);
    EXPECT_EQ(word.ask(4), Ask::asleep);
    EXPECT_TRUE(word.is_asleep());
    EXPECT_EQ(word.take(), 4u) << "its handler may take it all the same";
    EXPECT_TRUE(word.is_asleep());
    EXPECT_EQ(word.ask(2), Ask::asleep);
    EXPECT_EQ(word.wake_up(), 2u);
    EXPECT_FALSE(word.is_asleep());
    EXPECT_EQ(word.asked(), 2u) << "it stays asked";
}

// A requester that only looks whether someone has asked: [request-1] says what is missing.
struct LookingFirst : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        bool compare_exchange_weak(T& expected, T desired, std::memory_order order, std::memory_order failed) {
            if (expected == desired) return true;
            return explore::atomic<T>::compare_exchange_weak(expected, desired, order, failed);
        }
    };
};

// Takes by a load and a store, as if only the owner wrote the word.
struct TakingInTwoSteps : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        T fetch_and(T mask, std::memory_order) {
            const T before = this->load(acquire);
            this->store(before & mask, release);
            return before;
        }
    };
};

// Two requesters, each with one piece of work, and the thread that they ask. Its signals are a
// counter: it looks once for each, as it does in its handler.
template <class Atomics> struct Thread {
    RequestWordOver<Atomics> word;
    explore::atomic<int> signals{0};
    explore::atomic<int> work[2] = {0, 0};
    int done = 0;

    void make(int number) {
        work[number].store(1, relaxed); // may lie in the store buffer for long
        if (word.ask(1) == Ask::signal) signals.fetch_add(1, relaxed);
    }
    void look() {
        if (word.take() == 0) return;
        for (auto& piece : work)
            if (piece.load(relaxed) == 1) {
                piece.store(2, relaxed);
                ++done;
            }
    }
};

// The owner computes for ever: all that reaches it are signals.
template <class Atomics> Result ask_twice(bool owner_sleeps) {
    return explore::run(
        [=] {
            auto shared = std::make_shared<Thread<Atomics>>();
            auto owner = [=] {
                if (owner_sleeps) {
                    shared->word.fall_asleep();
                    if (shared->word.wake_up() != 0) shared->look();
                }
                for (int rounds = 0; rounds < 2; ++rounds) {
                    const int signals = shared->signals.load(relaxed);
                    if (signals == 0) continue;
                    shared->signals.fetch_add(-1, relaxed);
                    shared->look();
                }
            };
            return Program({owner, [=] { shared->make(0); }, [=] { shared->make(1); }}, [=] {
                while (shared->signals.load(relaxed) > 0) { // those that come late
                    shared->signals.fetch_add(-1, relaxed);
                    shared->look();
                }
                EXPLORE_CHECK(shared->done == 2);
            });
        },
        {.preemptions = 3});
}

TEST(RequestWord, NoRequestIsLost) {
    const Result result = ask_twice<explore::Atomics>(false);
    EXPECT_TRUE(result.passed()) << result;
}

TEST(RequestWord, NoRequestIsLostToASleeper) {
    const Result result = ask_twice<explore::Atomics>(true);
    EXPECT_TRUE(result.passed()) << result;
}

TEST(RequestWord, OneThatOnlyLooksWhetherOthersAskedIsLost) { EXPECT_FALSE(ask_twice<LookingFirst>(false).passed()); }

TEST(RequestWord, OneIsLostWhenTakingIsTwoSteps) { EXPECT_FALSE(ask_twice<TakingInTwoSteps>(false).passed()); }

} // namespace
} // namespace teff::preempt
