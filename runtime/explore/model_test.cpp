// SPDX-License-Identifier: Apache-2.0
//
// Tests of the model: store buffers, fences, happens-before, futexes, spinning. Each test has a
// wrong variant, in which the explorer must find the bug, and a right variant, in which it must
// find none.

#include "explore/explore.h"

#include <gtest/gtest.h>
#include <memory>
#include <set>

namespace teff::explore {
namespace {

using enum std::memory_order;

constexpr Options everything{.preemptions = unbounded};

struct Flags {
    atomic<int> x{0}, y{0};
    Var<int> first{-1}, second{-1};
};

// Dekker: each thread raises its flag, fences, and looks at the other's flag. They must not both
// miss the other.
Result dekker(std::memory_order store_order, void (*fence_1)(), void (*fence_2)()) {
    return run(
        [=] {
            auto flags = std::make_shared<Flags>();
            auto one = [=] {
                flags->x.store(1, store_order);
                fence_1();
                flags->first = flags->y.load(relaxed);
            };
            auto two = [=] {
                flags->y.store(1, store_order);
                fence_2();
                flags->second = flags->x.load(relaxed);
            };
            return Program({one, two}, [=] { EXPLORE_CHECK(flags->first + flags->second != 0); });
        },
        everything);
}

void no_fence() {}

TEST(StoreBuffer, DekkerNeedsMoreThanRelaxedAndRelease) {
    EXPECT_EQ(dekker(relaxed, no_fence, no_fence).outcome, Outcome::check_failed);
    EXPECT_EQ(dekker(release, no_fence, no_fence).outcome, Outcome::check_failed);
}

TEST(StoreBuffer, DekkerHoldsWithSequentialConsistencyOrFences) {
    for (const Result& result :
         {dekker(seq_cst, no_fence, no_fence), dekker(relaxed, Atomics::fence_seq_cst, Atomics::fence_seq_cst)}) {
        EXPECT_TRUE(result.passed()) << result;
        EXPECT_TRUE(result.exhaustive);
    }
}

TEST(StoreBuffer, AFenceOnOneSideIsNotEnough) {
    EXPECT_EQ(dekker(relaxed, Atomics::fence_seq_cst, no_fence).outcome, Outcome::check_failed);
}

TEST(StoreBuffer, LightAndHeavyFenceWorkTogetherOnly) {
    EXPECT_EQ(dekker(relaxed, Atomics::light_fence, Atomics::light_fence).outcome, Outcome::check_failed);
    for (const Result& result : {dekker(relaxed, Atomics::light_fence, Atomics::heavy_fence),
                                 dekker(relaxed, Atomics::heavy_fence, Atomics::light_fence)}) {
        EXPECT_TRUE(result.passed()) << result;
        EXPECT_TRUE(result.exhaustive);
    }
}

TEST(StoreBuffer, KeepsTheOrderOfStoresAndShowsAThreadItsOwn) {
    const Result result = run(
        [] {
            auto flags = std::make_shared<Flags>();
            auto writer = [=] {
                flags->x.store(1, relaxed);
                EXPLORE_CHECK(flags->x.load(relaxed) == 1);
                flags->y.store(1, relaxed);
            };
            auto reader = [=] {
                if (flags->y.load(relaxed) == 1) EXPLORE_CHECK(flags->x.load(relaxed) == 1);
            };
            return Program({writer, reader});
        },
        everything);
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_TRUE(result.exhaustive);
}

// All results that one store and one load in each of two threads can have on x86, and no others.
TEST(StoreBuffer, GivesEveryResultThatTheProcessorCan) {
    std::set<std::pair<int, int>> seen;
    const Result result = run(
        [&seen] {
            auto flags = std::make_shared<Flags>();
            auto one = [=] {
                flags->x.store(1, relaxed);
                flags->first = flags->y.load(relaxed);
            };
            auto two = [=] {
                flags->y.store(1, relaxed);
                flags->second = flags->x.load(relaxed);
            };
            return Program({one, two}, [=, &seen] { seen.emplace(flags->first, flags->second); });
        },
        everything);
    EXPECT_TRUE(result.exhaustive);
    EXPECT_EQ(seen, (std::set<std::pair<int, int>>{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
}

// Message passing: plain data, then a flag.
Result message(std::memory_order store_order, std::memory_order load_order) {
    return run(
        [=] {
            struct Message {
                Var<int> data{0};
                atomic<int> flag{0};
            };
            auto shared = std::make_shared<Message>();
            name(shared->data, "data");
            name(shared->flag, "flag");
            auto sender = [=] {
                shared->data = 42;
                shared->flag.store(1, store_order);
            };
            auto receiver = [=] {
                while (shared->flag.load(load_order) == 0)
                    Atomics::cpu_relax();
                EXPLORE_CHECK(shared->data == 42);
            };
            return Program({sender, receiver});
        },
        everything);
}

TEST(HappensBefore, MessagePassingNeedsReleaseAndAcquire) {
    EXPECT_TRUE(message(release, acquire).passed()) << message(release, acquire);
    EXPECT_TRUE(message(seq_cst, seq_cst).passed());
    for (const Result& result : {message(relaxed, acquire), message(release, relaxed), message(relaxed, relaxed)}) {
        EXPECT_EQ(result.outcome, Outcome::data_race);
        EXPECT_NE(result.message.find("data"), std::string::npos) << result;
    }
}

TEST(HappensBefore, AReadModifyWriteContinuesTheReleaseSequence) {
    auto test = [](std::memory_order middle_store, bool is_update) {
        return run(
            [=] {
                auto flags = std::make_shared<Flags>();
                auto sender = [=] {
                    flags->first = 42;
                    flags->x.store(1, release);
                };
                auto middle = [=] {
                    int one = 1;
                    if (is_update) flags->x.compare_exchange_strong(one, 2, middle_store, relaxed);
                    else if (flags->x.load(relaxed) == 1) flags->x.store(2, middle_store);
                };
                auto receiver = [=] {
                    if (flags->x.load(acquire) == 2) EXPLORE_CHECK(flags->first == 42);
                };
                return Program({sender, middle, receiver});
            },
            everything);
    };
    EXPECT_TRUE(test(relaxed, true).passed());
    EXPECT_EQ(test(release, false).outcome, Outcome::data_race);
}

TEST(HappensBefore, FencesMakeRelaxedOperationsPublish) {
    const Result result = run(
        [] {
            auto flags = std::make_shared<Flags>();
            auto sender = [=] {
                flags->first = 42;
                Atomics::fence_seq_cst();
                flags->x.store(1, relaxed);
            };
            auto receiver = [=] {
                if (flags->x.load(relaxed) == 0) return;
                Atomics::fence_seq_cst();
                EXPLORE_CHECK(flags->first == 42);
            };
            return Program({sender, receiver});
        },
        everything);
    EXPECT_TRUE(result.passed()) << result;
}

// The owner destroys a latch as soon as it is set; the setter must not touch it any more.
Result latch(bool touches_after_set) {
    return run(
        [=] {
            auto set = std::make_shared<std::unique_ptr<atomic<int>>>(std::make_unique<atomic<int>>(0));
            auto setter = [=, raw = set->get()] {
                raw->store(1, release);
                if (touches_after_set) (void)raw->load(relaxed);
            };
            auto owner = [=] {
                while ((*set)->load(acquire) == 0)
                    Atomics::cpu_relax();
                set->reset();
            };
            return Program({setter, owner});
        },
        everything);
}

TEST(HappensBefore, FindsUseOfWhatTheOtherSideMayDestroy) {
    EXPECT_TRUE(latch(false).passed()) << latch(false);
    EXPECT_EQ(latch(true).outcome, Outcome::lifetime_error);
}

TEST(HappensBefore, FindsUseOfAnObjectPublishedWithoutRelease) {
    auto test = [](std::memory_order order) {
        return run([=] {
            struct Shared {
                std::unique_ptr<atomic<int>> object;
                atomic<atomic<int>*> published{nullptr};
            };
            auto shared = std::make_shared<Shared>();
            auto maker = [=] {
                shared->object = std::make_unique<atomic<int>>(7);
                shared->published.store(shared->object.get(), order);
            };
            auto user = [=] {
                if (auto* object = shared->published.load(acquire)) EXPLORE_CHECK(object->load(relaxed) == 7);
            };
            return Program({user, maker}); // the user starts first, so construction is not over before
        });
    };
    EXPECT_TRUE(test(release).passed()) << test(release);
    EXPECT_EQ(test(relaxed).outcome, Outcome::lifetime_error);
}

// The waiter reads `ready` and then sleeps on the word. If the waker does not change the word, the
// futex cannot notice that what was read is out of date.
Result sleeper(bool waker_changes_word) {
    return run(
        [=] {
            struct Shared {
                atomic<int> ready{0};
                atomic<std::uint32_t> word{0};
            };
            auto shared = std::make_shared<Shared>();
            name(shared->word, "word");
            auto waiter = [=] {
                for (;;) {
                    const std::uint32_t seen = shared->word.load(acquire);
                    if (shared->ready.load(acquire) != 0) return;
                    Atomics::wait(shared->word, seen);
                }
            };
            auto waker = [=] {
                shared->ready.store(1, release);
                if (waker_changes_word) shared->word.fetch_add(1, release);
                Atomics::wake(shared->word, 1);
            };
            return Program({waiter, waker});
        },
        everything);
}

TEST(Futex, FindsTheLostWakeUp) {
    const Result result = sleeper(false);
    EXPECT_EQ(result.outcome, Outcome::deadlock);
    EXPECT_NE(result.message.find("T1 sleeps on word"), std::string::npos) << result;
    EXPECT_TRUE(sleeper(true).passed()) << sleeper(true);
    EXPECT_TRUE(sleeper(true).exhaustive);
}

Program wait_once(bool has_limit, bool checks_again) {
    struct Shared {
        atomic<std::uint32_t> word{0};
    };
    auto shared = std::make_shared<Shared>();
    auto waiter = [=] {
        do {
            if (has_limit) Atomics::wait_for(shared->word, 0, 1000);
            else Atomics::wait(shared->word, 0);
        } while (checks_again && shared->word.load(acquire) == 0);
        EXPLORE_CHECK(shared->word.load(acquire) == 1);
    };
    auto waker = [=] {
        shared->word.store(1, seq_cst);
        Atomics::wake(shared->word, INT_MAX);
    };
    return Program({waiter, waker});
}

TEST(Futex, WakesEarlyIfAsked) {
    EXPECT_TRUE(run([] { return wait_once(false, false); }).passed());
    EXPECT_EQ(run([] { return wait_once(false, false); }, {.early_wakes = 1}).outcome, Outcome::check_failed);
    EXPECT_TRUE(run([] { return wait_once(false, true); }, {.early_wakes = 2}).passed());
    EXPECT_TRUE(run([] { return wait_once(true, true); }, {.early_wakes = 2}).passed());
}

TEST(Futex, ATimeLimitEndsAWaitThatNobodyElseEnds) {
    auto test = [](bool has_limit) {
        return run([=] {
            auto word = std::make_shared<atomic<std::uint32_t>>(0);
            return Program({[=] {
                if (has_limit) Atomics::wait_for(*word, 0, 1000);
                else Atomics::wait(*word, 0);
            }});
        });
    };
    EXPECT_TRUE(test(true).passed());
    EXPECT_EQ(test(false).outcome, Outcome::deadlock);
}

TEST(Spinning, EndsWhenTheOtherSideActs) {
    const Result result = message(release, acquire);
    EXPECT_TRUE(result.exhaustive);
    EXPECT_LT(result.longest, 20u);
}

TEST(Spinning, FindsThatNobodyWillAct) {
    const Result result = run([] {
        auto flags = std::make_shared<Flags>();
        return Program({[=] {
                            while (flags->x.load() == 0)
                                Atomics::cpu_relax();
                        },
                        [=] {
                            while (flags->y.load() == 0)
                                Atomics::cpu_relax();
                        }});
    });
    EXPECT_EQ(result.outcome, Outcome::livelock);
    EXPECT_NE(result.message.find("T1 spins; T2 spins;"), std::string::npos) << result;
}

TEST(Spinning, ABoundedSpinGoesOnByItself) {
    const Result result = run([] {
        auto flags = std::make_shared<Flags>();
        return Program({[=] {
            for (int i = 0; i < 10 && flags->x.load() == 0; ++i)
                Atomics::cpu_relax();
        }});
    });
    EXPECT_TRUE(result.passed()) << result;
}

// The thread gives up after one round, and then relies on something that the other thread may not
// have done yet.
TEST(Spinning, GivingUpEarlyIsExploredWithIdleRounds) {
    auto give_up = [] {
        auto flags = std::make_shared<Flags>();
        auto waiter = [=] {
            if (flags->x.load() != 0) return;
            Atomics::cpu_relax();
            if (flags->x.load() == 0) EXPLORE_CHECK(flags->y.load() == 1);
        };
        auto other = [=] {
            flags->y.store(1);
            flags->x.store(1);
        };
        return Program({waiter, other});
    };
    EXPECT_TRUE(run(give_up, {.preemptions = unbounded, .idle_rounds = 0}).passed());
    EXPECT_EQ(run(give_up, {.preemptions = unbounded, .idle_rounds = 1}).outcome, Outcome::check_failed);
}

} // namespace
} // namespace teff::explore
