// SPDX-License-Identifier: Apache-2.0
#include "sched/sleepers.h"

#include <array>
#include <atomic>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <type_traits>
#include <vector>

#include "explore/explore.h"
#include "sync/parker.h"

namespace teff::sched {
namespace {

using enum std::memory_order;
using explore::Options;
using explore::Program;
using explore::Result;

// The sleeper's half of [sleep-1] is missing.
struct NoHeavyFence : explore::Atomics {
    static void heavy_fence() {}
};

// The searcher's half of [sleep-2] is missing: only the sleeper has a fence, for which the Team
// below provides a replacement.
struct OnlyTheSleepersFence : NoHeavyFence {};

// A team reduced to sleeping and waking: a queue for each maker, a parker for each sleeper.
template <class Atomics> struct Team {
    static constexpr unsigned kQueues = 2, kMembers = 2;

    explicit Team(int tasks_to_come) : missing(tasks_to_come) { sleepers.attach(&bits, kMembers); }

    bool take() {
        for (auto& queue : queues) {
            int tasks = queue.load(acquire);
            while (tasks > 0)
                if (queue.compare_exchange_strong(tasks, tasks - 1, acq_rel, acquire)) return true;
        }
        return false;
    }
    bool looks_drained() const {
        for (const auto& queue : queues)
            if (queue.load(acquire) > 0) return false;
        return true;
    }

    void make_ready(unsigned queue) {
        queues[queue].store(1, release); // as in a push: the store may stay in the store buffer for now
        if (sleepers.worth_waking()) wake_one();
    }
    void fence_before_look() {
        sleepers.fence_before_look(); // [sleep-1]
        if constexpr (std::is_same_v<Atomics, OnlyTheSleepersFence>) explore::Atomics::heavy_fence();
    }
    // Makes the tasks ready one after the other, and then has no scheduling point for a long time.
    void make_all_ready() {
        for (unsigned queue = 0; queue < kQueues; ++queue)
            make_ready(queue);
    }
    void wake_one() {
        const unsigned member = sleepers.try_take_one();
        if (member != SleepersOver<Atomics>::kNone) parkers[member].unpark(TEFF_WAKE_EVENT);
    }
    void wake_all() {
        sleepers.take_all([this](unsigned member) { parkers[member].unpark(TEFF_WAKE_EVENT); });
    }

    void stop_searching() {
        if (!sleepers.stop_searching()) return;
        sleepers.fence_before_look(); // [sleep-2]
        if (!looks_drained()) wake_one();
    }

    // The loop of a member as in wait.h, without other work. It ends when all tasks that will ever
    // come have been run; or, with kLong, when the member has found its first task, which then
    // takes a long time.
    enum class Tasks : bool { kShort, kLong };
    void live(unsigned me, Tasks tasks = Tasks::kShort) {
        bool searching = false;
        for (;;) {
            bool found = take();
            if (!found) {
                if (searching) stop_searching();
                sleepers.enter(me);
                fence_before_look();
                found = take();
                if (!found && missing.load(seq_cst) > 0) parkers[me].park();
                searching = !sleepers.leave(me);
            }
            if (searching && found) {
                searching = false;
                stop_searching();
            }
            if (found && tasks == Tasks::kLong) return;
            if (found && missing.fetch_sub(1, seq_cst) == 1) wake_all();
            if (missing.load(seq_cst) == 0) break;
        }
        if (searching) stop_searching();
    }

    // Checks that no member sleeps or searches.
    void check_at_end() {
        EXPLORE_CHECK(looks_drained());
        EXPLORE_CHECK(!sleepers.any());
        EXPLORE_CHECK(sleepers.try_take_one() == SleepersOver<Atomics>::kNone);
        sleepers.enter(0);
        EXPLORE_CHECK(sleepers.worth_waking()); // so no searcher is counted
        EXPLORE_CHECK(sleepers.try_take_one() == 0);
        EXPLORE_CHECK(!sleepers.any());
        EXPLORE_CHECK(!sleepers.leave(0));
        EXPLORE_CHECK(!sleepers.stop_searching());
        sleepers.enter(0);
        EXPLORE_CHECK(sleepers.worth_waking());
    }

    typename Atomics::template atomic<std::uint64_t> bits{0};
    SleepersOver<Atomics> sleepers;
    std::array<sync::ParkerOver<explore::Atomics>, kMembers> parkers;
    std::array<explore::atomic<int>, kQueues> queues;
    explore::atomic<int> missing; // tasks that have not been run yet
};

template <class Atomics> Result sleep_and_wake(unsigned makers, unsigned sleepers, const Options& options) {
    return explore::run(
        [=] {
            auto team = std::make_shared<Team<Atomics>>(static_cast<int>(makers));
            std::vector<std::function<void()>> threads;
            for (unsigned i = 0; i < sleepers; ++i)
                threads.emplace_back([=] { team->live(i); });
            for (unsigned i = 0; i < makers; ++i)
                threads.emplace_back([=] { team->make_ready(i); });
            return Program(threads, [=] { team->check_at_end(); });
        },
        options);
}

void expect_complete_pass(const Result& result) {
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_TRUE(result.complete) << result;
}

TEST(Sleepers, NoWakeUpIsLostBetweenAMakerAndASleeper) {
    expect_complete_pass(sleep_and_wake<explore::Atomics>(1, 1, {.preemptions = explore::unbounded, .early_wakes = 1}));
}

TEST(Sleepers, WithoutTheHeavyFenceAWakeUpIsLost) {
    EXPECT_EQ(sleep_and_wake<NoHeavyFence>(1, 1, {}).outcome, explore::Outcome::deadlock);
}

TEST(Sleepers, OneOfTwoSleepersComes) {
    expect_complete_pass(sleep_and_wake<explore::Atomics>(1, 2, {.preemptions = 2, .early_wakes = 1}));
}

TEST(Sleepers, TheTasksOfTwoMakersAreBothFound) {
    expect_complete_pass(sleep_and_wake<explore::Atomics>(2, 1, {.preemptions = 2, .early_wakes = 1}));
}

TEST(Sleepers, TwoMakersAndTwoSleepers) {
    expect_complete_pass(sleep_and_wake<explore::Atomics>(2, 2, {.preemptions = 1}));
}

// The last searcher finds a task that keeps it busy. Meanwhile a maker has made another task. That
// task must not stay queued while a member sleeps.
template <class Atomics> Result search_and_stay_away() {
    return explore::run(
        [] {
            auto team = std::make_shared<Team<Atomics>>(2);
            auto member = [=](unsigned me) { return [=] { team->live(me, Team<Atomics>::Tasks::kLong); }; };
            return Program({member(0), member(1), [=] { team->make_all_ready(); }}, [=] { team->check_at_end(); });
        },
        {.preemptions = 2});
}

TEST(Sleepers, TheLastSearcherLeavesNoTaskBesideASleeper) {
    expect_complete_pass(search_and_stay_away<explore::Atomics>());
}

TEST(Sleepers, WithoutASearchersFenceATaskIsLeftBesideASleeper) {
    EXPECT_EQ(search_and_stay_away<OnlyTheSleepersFence>().outcome, explore::Outcome::deadlock);
}

// An event for all, such as the opening of a barrier, while sleepers come and go.
TEST(Sleepers, AnEventForAllReachesEverySleeper) {
    const Result result = explore::run(
        [] {
            auto team = std::make_shared<Team<explore::Atomics>>(1);
            auto member = [=](unsigned me) {
                return [=] {
                    while (team->missing.load(seq_cst) != 0) {
                        team->sleepers.enter(me);
                        if (team->missing.load(seq_cst) != 0) team->parkers[me].park();
                        if (!team->sleepers.leave(me)) team->stop_searching();
                    }
                };
            };
            auto opener = [=] {
                team->missing.store(0, seq_cst);
                if (team->sleepers.any()) team->wake_all();
            };
            return Program({member(0), member(1), opener}, [=] { team->check_at_end(); });
        },
        {.preemptions = 3, .early_wakes = 1});
    expect_complete_pass(result);
}

TEST(SleepersOnOneThread, MembersBeyondTheFirstWordAreFound) {
    std::array<std::atomic<std::uint64_t>, 3> bits{};
    Sleepers sleepers;
    sleepers.attach(bits.data(), 130);
    for (const unsigned member : {3u, 63u, 64u, 129u})
        sleepers.enter(member);
    EXPECT_TRUE(sleepers.worth_waking());
    EXPECT_EQ(sleepers.try_take_one(), 3u);
    EXPECT_FALSE(sleepers.worth_waking()) << "one is on its way";
    EXPECT_EQ(sleepers.try_take_one(), Sleepers::kNone);
    EXPECT_FALSE(sleepers.leave(3));
    EXPECT_TRUE(sleepers.leave(63));
    EXPECT_TRUE(sleepers.stop_searching());
    std::vector<unsigned> woken;
    sleepers.take_all([&](unsigned member) { woken.push_back(member); });
    EXPECT_EQ(woken, (std::vector<unsigned>{64, 129}));
    EXPECT_FALSE(sleepers.any());
    EXPECT_FALSE(sleepers.stop_searching()) << "another one searches";
    EXPECT_FALSE(sleepers.stop_searching()) << "the last one, but nobody sleeps";
    EXPECT_FALSE(sleepers.worth_waking());
    sleepers.enter(5);
    EXPECT_TRUE(sleepers.worth_waking()) << "no searcher is left";
}

// ---- Members beyond the region's size that still sleep here.

TEST(SleepersOnOneThread, WhoTakesNoPartIsWokenLastAndByNoEventForAll) {
    using Sleepers = SleepersOver<base::RealAtomics>;
    std::atomic<std::uint64_t> bits[2] = {};
    Sleepers sleepers;
    sleepers.attach(bits, 128);
    sleepers.resize(66);
    for (const unsigned member : {3u, 65u, 66u, 127u})
        sleepers.enter(member);
    std::vector<unsigned> woken;
    sleepers.take_all([&](unsigned member) { woken.push_back(member); });
    EXPECT_EQ(woken, (std::vector<unsigned>{3, 65}));
    for (const unsigned member : woken) {
        EXPECT_FALSE(sleepers.leave(member));
        (void)sleepers.stop_searching();
    }
    sleepers.enter(65);
    const auto take_one = [&] {
        const unsigned member = sleepers.try_take_one();
        (void)sleepers.stop_searching();
        return member;
    };
    EXPECT_EQ(take_one(), 65u);
    EXPECT_EQ(take_one(), 66u);
    sleepers.resize(128);
    EXPECT_EQ(take_one(), 127u);
    EXPECT_FALSE(sleepers.any());
}

} // namespace
} // namespace teff::sched
