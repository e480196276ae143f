// SPDX-License-Identifier: Apache-2.0
#include "sync/ordered_turn.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "explore/explore.h"

namespace teff::sync {
namespace {

using enum std::memory_order;
using explore::Outcome;
using explore::Program;
using explore::Result;

TEST(OrderedTurn, GoesThroughTheChunksInOrder) {
    constexpr unsigned kMembers = 6;
    constexpr std::uint64_t kChunks = 3000, kChunk = 3;
    OrderedTurn turn;
    turn.reset();
    std::atomic<std::uint64_t> next{0};
    std::vector<std::uint64_t> order; // guarded by the turn
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < kMembers; ++i)
        threads.emplace_back([&] {
            for (std::uint64_t chunk; (chunk = next.fetch_add(1)) < kChunks;) {
                turn.wait_for(chunk * kChunk, 5, 0, [] { return false; });
                order.push_back(chunk);
                turn.pass_to((chunk + 1) * kChunk);
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    ASSERT_EQ(order.size(), kChunks);
    for (std::uint64_t i = 0; i < kChunks; ++i)
        ASSERT_EQ(order[i], i);
}

TEST(OrderedTurn, WaiterGivesUpWhenTold) {
    OrderedTurn turn;
    turn.reset();
    std::atomic<bool> give_up{false};
    std::thread waiter([&] { turn.wait_for(9, 5, 1'000'000, [&] { return give_up.load(); }); });
    give_up = true; // the waiter is not notified: it checks again by itself
    waiter.join();
    EXPECT_FALSE(turn.has(9));
    EXPECT_TRUE(turn.has(0));
}

// A waiter with a Name sleeps on a word of its own until it is notified.
template <class Atomics> struct Loop {
    OrderedTurnOver<Atomics> turn;
    explore::atomic<std::uint32_t> told[2]{};
    explore::atomic<int> done{0}; // written in turn

    void wait_by_name(std::uint64_t number, explore::atomic<std::uint32_t>& word) {
        constexpr auto kTell = [](void* whom) {
            auto& to = *static_cast<explore::atomic<std::uint32_t>*>(whom);
            to.store(1, release);
            explore::Atomics::wake(to, 1);
        };
        typename OrderedTurnOver<Atomics>::Name name{.number = number, .tell = kTell, .whom = &word};
        if (!turn.enter(name)) return;
        while (word.load(acquire) == 0)
            explore::Atomics::wait(word, 0);
        turn.withdraw(name);
    }

    // Waits until the turn has come, with or without a notification.
    void wait_with_name(std::uint64_t number, explore::atomic<std::uint32_t>& word) {
        typename OrderedTurnOver<Atomics>::Name name{.number = number, .tell = [](void*) {}, .whom = &word};
        if (!turn.enter(name)) return;
        while (!turn.has(number))
            explore::Atomics::cpu_relax();
        turn.withdraw(name);
    }

    void take_turn(std::uint64_t number, int expected, std::uint64_t next) {
        EXPLORE_CHECK(turn.has(number));
        EXPLORE_CHECK(done.load(relaxed) == expected);
        done.store(expected + 1, relaxed);
        turn.pass_to(next);
    }
};

// Waiters for these two numbers share a word.
constexpr std::uint64_t kSecond = 5, kThird = 13;

enum class Second { kIsTold, kLooks, kSleeps };

// The turn goes from 0 to kSecond to kThird, whose waiter has a Name.
template <class Atomics> Result pass_twice(Second second, const explore::Options& options) {
    return explore::run(
        [=] {
            auto loop = std::make_shared<Loop<Atomics>>();
            return Program({[=] { loop->take_turn(0, 0, kSecond); },
                            [=] {
                                if (second == Second::kSleeps) loop->turn.wait_for(kSecond, 0, 0, [] { return false; });
                                else if (second == Second::kLooks) loop->wait_with_name(kSecond, loop->told[0]);
                                else loop->wait_by_name(kSecond, loop->told[0]);
                                loop->take_turn(kSecond, 1, kThird);
                            },
                            [=] {
                                loop->wait_by_name(kThird, loop->told[1]);
                                loop->take_turn(kThird, 2, 100);
                            }},
                           [=] { EXPLORE_CHECK(loop->done.load(relaxed) == 3); });
        },
        options);
}

TEST(OrderedTurn, WhoeverEnteredItsNameIsTold) {
    for (const Second second : {Second::kIsTold, Second::kLooks, Second::kSleeps}) {
        const Result result = pass_twice<explore::Atomics>(second, {.preemptions = 2});
        EXPECT_TRUE(result.passed()) << result;
    }
}

// The kth announcement is lost: that of a name, or that of the remaining names.
template <int kth> struct ForgottenAnnouncement : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        T fetch_or(T bits, std::memory_order order) {
            return ++announcements == kth ? this->load(acquire) : explore::atomic<T>::fetch_or(bits, order);
        }
        int announcements = 0; // on this word
    };
};

// The execution decides the order of the first two announcements, which the waiters make; the third
// is made for the remaining name.
TEST(OrderedTurn, WithoutAnAnnouncementSomeoneIsNotTold) {
    EXPECT_EQ(pass_twice<ForgottenAnnouncement<2>>(Second::kIsTold, {.preemptions = 2}).outcome, Outcome::deadlock);
    EXPECT_EQ(pass_twice<ForgottenAnnouncement<3>>(Second::kIsTold, {.preemptions = 2}).outcome, Outcome::deadlock);
}

} // namespace
} // namespace teff::sync
