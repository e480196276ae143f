// SPDX-License-Identifier: Apache-2.0
#include "sync/program_lock.h"

#include <atomic>
#include <gtest/gtest.h>
#include <latch>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "explore/explore.h"

namespace teff::sync {
namespace {

using enum std::memory_order;
using explore::Program;
using explore::Result;

// Limits for the explorer, whose clock stands still.
struct Woken : LockLimits { // a waiter is woken and competes for the lock
    static constexpr int kPauses = 0;
    static base::Ticks patience() { return 1; }
    static constexpr unsigned kBucketBits = 0;
    static base::Ticks now() { return 1; }
};
struct HandedOver : Woken { // a waiter is handed the lock
    static base::Ticks patience() { return 0; }
};
struct LooksFirst : Woken {
    static constexpr int kPauses = 1;
};

template <class Atomics, class Limits> struct Shared {
    LockWaitersOver<Atomics, Limits> waiters;
    ProgramLockOver<Atomics, Limits> lock;
    explore::Var<int> entered;
    int inside = 0;

    template <class Waiter, class... Arguments> void enter(Arguments... arguments) TEFF_LOCK_CROSSES_CALLS {
        if (!lock.try_lock()) {
            Waiter waiter(arguments...);
            lock.wait(waiters, waiter);
        }
        EXPLORE_CHECK(++inside == 1);
        entered = entered + 1;
        --inside;
        lock.unlock(waiters);
    }
};

// Threads that each take the lock once, one thread per priority.
template <class Atomics, class Limits, template <class> class Waiter = InPlaceWaiterOver>
Result enter_once(const std::vector<std::int32_t>& priorities, const explore::Options& options = {.preemptions = 3}) {
    return explore::run(
        [&] {
            auto shared = std::make_shared<Shared<Atomics, Limits>>();
            std::vector<std::function<void()>> threads;
            for (const std::int32_t priority : priorities)
                threads.emplace_back([=] { shared->template enter<Waiter<Atomics>>(priority); });
            const int all = static_cast<int>(priorities.size());
            return Program(threads, [=] {
                EXPLORE_CHECK(shared->entered == all);
                EXPLORE_CHECK(shared->lock.try_lock());
            });
        },
        options);
}

TEST(ProgramLock, TwoThreadsExcludeEachOtherAndNobodyIsForgotten) {
    const explore::Options all{.preemptions = explore::unbounded, .early_wakes = 1};
    const Result woken = enter_once<explore::Atomics, Woken>({0, 0}, all);
    EXPECT_TRUE(woken.passed()) << woken;
    EXPECT_TRUE(woken.exhaustive);
    const Result handed = enter_once<explore::Atomics, HandedOver>({0, 0}, all);
    EXPECT_TRUE(handed.passed()) << handed;
    EXPECT_TRUE(handed.exhaustive);
}

TEST(ProgramLock, ThreeThreadsThatAreWokenAndCompete) {
    const Result result = enter_once<explore::Atomics, Woken>({0, 0, 0});
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_TRUE(result.complete);
}

TEST(ProgramLock, ThreeThreadsThatAreHandedTheLock) {
    const Result result = enter_once<explore::Atomics, HandedOver>({0, 0, 0});
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_TRUE(result.complete);
}

TEST(ProgramLock, OneThatIsHandedTheLockAmongOthersThatCompete) {
    const Result result = enter_once<explore::Atomics, Woken>({0, 1, 0});
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_TRUE(result.complete);
}

TEST(ProgramLock, FourThreadsWithFewerPreemptions) {
    const Result result = enter_once<explore::Atomics, Woken>({0, 0, 1, 0}, {.preemptions = 1});
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_TRUE(result.complete);
}

TEST(ProgramLock, ThoseWhoLookBeforeTheyQueue) {
    const Result result = enter_once<explore::Atomics, LooksFirst>({0, 0, 0}, {.preemptions = 2, .idle_rounds = 1});
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_TRUE(result.complete);
}

// A thread that never queues takes the lock again and again while another thread waits.
template <class Limits> Result barge(int times) {
    return explore::run(
        [=] {
            auto shared = std::make_shared<Shared<explore::Atomics, Limits>>();
            auto greedy = [=] {
                for (int i = 0; i < times; ++i)
                    shared->template enter<InPlaceWaiterOver<explore::Atomics>>(0);
            };
            auto modest = [=] { shared->template enter<InPlaceWaiterOver<explore::Atomics>>(0); };
            return Program({greedy, modest}, [=] { EXPLORE_CHECK(shared->entered == times + 1); });
        },
        {.preemptions = 4, .early_wakes = 1});
}

TEST(ProgramLock, AWaiterGetsTheLockBesideAGreedyThread) {
    for (const Result& result : {barge<Woken>(3), barge<HandedOver>(3)}) {
        EXPECT_TRUE(result.passed()) << result;
        EXPECT_TRUE(result.complete);
    }
}

// Waiters of other kinds.

// A sleeping thread, as InPlaceWaiter; but after its wait it writes to a part of its record that
// `notify` reads.
template <class Atomics> struct Reusing : LockWaiterOver<Atomics> {
    using Base = LockWaiterOver<Atomics>;
    explicit Reusing(std::int32_t its_priority, typename Base::Notify by = wake_up) : Base(its_priority, true, by) {}

    LockWait wait() {
        while (this->state() == LockWait::kWaiting)
            Atomics::wait(this->state_, 0);
        waits = waits + 1;
        return this->state();
    }

    static void wake_up(Base& waiter, LockWait outcome) {
        auto& self = static_cast<Reusing&>(waiter);
        EXPLORE_CHECK(self.waits >= 0);
        auto& word = self.state_;
        self.settle(outcome);
        Atomics::wake(word, 1);
    }

    explore::Var<int> waits{0};
};

// `notify` still reads the record after settling it.
template <class Atomics> struct ReadTooLate : Reusing<Atomics> {
    explicit ReadTooLate(std::int32_t its_priority) : Reusing<Atomics>(its_priority, late) {}
    static void late(LockWaiterOver<Atomics>& waiter, LockWait outcome) {
        auto& self = static_cast<ReadTooLate&>(waiter);
        auto& word = self.state_;
        self.settle(outcome);
        EXPLORE_CHECK(self.waits >= 0);
        Atomics::wake(word, 1);
    }
};

// A waiter that is always notified of the same outcome.
template <class Atomics, LockWait kOutcome> struct Misled : Reusing<Atomics> {
    explicit Misled(std::int32_t its_priority) : Reusing<Atomics>(its_priority, mislead) {}
    static void mislead(LockWaiterOver<Atomics>& waiter, LockWait) { Reusing<Atomics>::wake_up(waiter, kOutcome); }
};
template <class Atomics> using ToldWoken = Misled<Atomics, LockWait::kWoken>;
template <class Atomics> using ToldHandedOver = Misled<Atomics, LockWait::kHandedOver>;

TEST(ProgramLock, ARecordIsItsWaitersAgainAfterTheWait) {
    const Result woken = enter_once<explore::Atomics, Woken, Reusing>({0, 0, 0}, {.preemptions = 2});
    EXPECT_TRUE(woken.passed()) << woken;
    const Result handed = enter_once<explore::Atomics, HandedOver, Reusing>({0, 0, 0}, {.preemptions = 2});
    EXPECT_TRUE(handed.passed()) << handed;
}

TEST(ProgramLockMutants, ANotifierThatReadsTheRecordTooLateIsFound) {
    const Result result = enter_once<explore::Atomics, Woken, ReadTooLate>({0, 0});
    EXPECT_EQ(result.outcome, explore::Outcome::data_race) << result;
}

TEST(ProgramLockMutants, AWaiterThatGoesOnWithALockThatIsFreeIsFound) {
    const Result result = enter_once<explore::Atomics, Woken, ToldHandedOver>({0, 0, 0});
    EXPECT_FALSE(result.passed());
    EXPECT_NE(result.outcome, explore::Outcome::deadlock) << result;
}

TEST(ProgramLockMutants, AWaiterThatLeavesALockThatIsItsOwnIsFound) {
    const Result result = enter_once<explore::Atomics, HandedOver, ToldWoken>({0, 0});
    EXPECT_EQ(result.outcome, explore::Outcome::deadlock) << result;
}

// A suspended context: its worker is busy with a task that ends when another thread has taken and
// released the lock.
struct OtherLeaves : Shared<explore::Atomics, Woken> {
    explore::atomic<std::uint32_t> other_has_left{0};
};
struct Suspended : LockWaiterOver<explore::Atomics> {
    Suspended(OtherLeaves* shared, bool is_prompt) : LockWaiterOver(0, is_prompt, notify_worker), busy_until(shared) {}

    LockWait wait() {
        while (busy_until->other_has_left.load(acquire) == 0)
            explore::Atomics::wait(busy_until->other_has_left, 0);
        while (state() == LockWait::kWaiting)
            explore::Atomics::wait(state_, 0);
        return state();
    }
    static void notify_worker(LockWaiterOver& waiter, LockWait outcome) {
        auto& word = static_cast<Suspended&>(waiter).state_;
        waiter.settle(outcome);
        explore::Atomics::wake(word, 1);
    }

    OtherLeaves* busy_until;
};

Result busy_elsewhere(bool says_it_is_prompt) {
    return explore::run([=] {
        using InPlace = InPlaceWaiterOver<explore::Atomics>;
        auto shared = std::make_shared<OtherLeaves>();
        auto holder = [=] { shared->enter<InPlace>(0); };
        auto suspended = [=] { shared->enter<Suspended>(shared.get(), says_it_is_prompt); };
        auto other = [=] {
            shared->enter<InPlace>(0);
            shared->other_has_left.store(1, release);
            explore::Atomics::wake(shared->other_has_left, 1);
        };
        return Program({holder, suspended, other}, [=] { EXPLORE_CHECK(shared->entered == 3); });
    });
}

TEST(ProgramLock, AFreeLockDoesNotWaitForAWorkerThatIsBusy) {
    const Result result = busy_elsewhere(false);
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_TRUE(result.complete);
}

TEST(ProgramLockMutants, ABusyWorkerThatIsTakenForAPromptOneIsFound) {
    const Result result = busy_elsewhere(true);
    EXPECT_EQ(result.outcome, explore::Outcome::deadlock) << result;
}

// Defective protocols, whose defects the explorer must find.

// Atomics of explore with one difference.
template <template <class> class Atomic> struct With : explore::Atomics {
    template <class T> using atomic = Atomic<T>;
    static void wait(Atomic<std::uint32_t>& word, std::uint32_t expected) { explore::Atomics::wait(word, expected); }
    static void wake(Atomic<std::uint32_t>& word, int threads) { explore::Atomics::wake(word, threads); }
};

// A waiter does not mark a lock that is held. (A bucket's lock is never marked here, because a
// thread that wants it waits until it is free.)
template <class T> struct Unmarked : explore::atomic<T> {
    using explore::atomic<T>::atomic;
    T exchange(T value, std::memory_order order) {
        if (value != T{2}) return explore::atomic<T>::exchange(value, order);
        T seen{};
        this->compare_exchange_strong(seen, value, order, relaxed);
        return seen;
    }
};

// A hand-over removes the mark.
template <class T> struct HandedOverUnmarked : explore::atomic<T> {
    using explore::atomic<T>::atomic;
    void store(T value, std::memory_order order) {
        explore::atomic<T>::store(value == T{2} && order == relaxed ? T{1} : value, order);
    }
};

// A woken waiter takes the lock without the mark.
template <class T> struct TakenUnmarked : explore::atomic<T> {
    using explore::atomic<T>::atomic;
    bool compare_exchange_strong(T& expected, T desired, std::memory_order success, std::memory_order failure) {
        return explore::atomic<T>::compare_exchange_strong(expected, desired == T{2} ? T{1} : desired, success,
                                                           failure);
    }
};

// The order of one kind of operation is relaxed.
template <class T> struct TakenRelaxed : explore::atomic<T> {
    using explore::atomic<T>::atomic;
    bool compare_exchange_strong(T& expected, T desired, std::memory_order success, std::memory_order failure) {
        return explore::atomic<T>::compare_exchange_strong(expected, desired, success == acquire ? relaxed : success,
                                                           failure);
    }
};
template <class T> struct GivenBackRelaxed : explore::atomic<T> {
    using explore::atomic<T>::atomic;
    T fetch_sub(T by, std::memory_order) { return explore::atomic<T>::fetch_sub(by, relaxed); }
};
template <class T> struct MarkedRelaxed : explore::atomic<T> {
    using explore::atomic<T>::atomic;
    T exchange(T value, std::memory_order order) {
        return explore::atomic<T>::exchange(value, order == acquire ? relaxed : order);
    }
};
template <class T> struct FreedRelaxed : explore::atomic<T> { // 2 -> 0
    using explore::atomic<T>::atomic;
    void store(T value, std::memory_order order) { explore::atomic<T>::store(value, value == T{} ? relaxed : order); }
};
template <class T> struct SettledRelaxed : explore::atomic<T> {
    using explore::atomic<T>::atomic;
    void store(T value, std::memory_order) { explore::atomic<T>::store(value, relaxed); }
};
template <class T> struct LoadedRelaxed : explore::atomic<T> { // state
    using explore::atomic<T>::atomic;
    T load(std::memory_order) const { return explore::atomic<T>::load(relaxed); }
};

struct Silent : explore::Atomics {
    template <class Word> static void wake(Word&, int) {}
};
struct SleepsAnyway : explore::Atomics { // although it was notified right before
    static void wait(atomic<std::uint32_t>& word, std::uint32_t) { explore::Atomics::wait(word, word.load(relaxed)); }
};

template <class Mutant, class Limits>
void expect(explore::Outcome outcome, const std::vector<std::int32_t>& priorities) {
    const Result result = enter_once<Mutant, Limits>(priorities);
    EXPECT_EQ(result.outcome, outcome) << result;
}

TEST(ProgramLockMutants, AWaiterThatLeavesNoMarkIsForgotten) {
    expect<With<Unmarked>, Woken>(explore::Outcome::deadlock, {0, 0});
}

TEST(ProgramLockMutants, WithoutTheMarkOfTheWokenTheOthersAreForgotten) {
    expect<With<TakenUnmarked>, LooksFirst>(explore::Outcome::deadlock, {0, 0, 0});
}

TEST(ProgramLockMutants, WithoutTheMarkOfAHandOverTheOthersAreForgotten) {
    expect<With<HandedOverUnmarked>, HandedOver>(explore::Outcome::deadlock, {0, 0, 0});
}

TEST(ProgramLockMutants, ANotificationWithoutAWakeUpLeavesTheWaiterAsleep) {
    expect<Silent, Woken>(explore::Outcome::deadlock, {0, 0});
    expect<Silent, HandedOver>(explore::Outcome::deadlock, {0, 0});
}

TEST(ProgramLockMutants, AWaiterThatDoesNotCompareBeforeItSleepsIsFound) {
    expect<SleepsAnyway, Woken>(explore::Outcome::deadlock, {0, 0});
}

TEST(ProgramLockMutants, EachOrderIsNeeded) {
    const auto race = explore::Outcome::data_race;
    expect<With<TakenRelaxed>, Woken>(race, {0, 0});
    expect<With<GivenBackRelaxed>, Woken>(race, {0, 0});
    expect<With<MarkedRelaxed>, Woken>(race, {0, 0});
    expect<With<FreedRelaxed>, Woken>(race, {0, 0, 0});
    const auto lifetime = explore::Outcome::lifetime_error; // of the record, before that of the data
    expect<With<SettledRelaxed>, HandedOver>(lifetime, {0, 0});
    expect<With<LoadedRelaxed>, HandedOver>(lifetime, {0, 0});
}

// Tests with real threads.

template <class Body> void on_threads(int threads, Body&& body) {
    std::vector<std::thread> all;
    std::latch start(threads);
    for (int number = 0; number < threads; ++number)
        all.emplace_back([&body, &start, number] {
            start.arrive_and_wait();
            body(number);
        });
    for (std::thread& thread : all)
        thread.join();
}

class ProgramLockOnThreads : public testing::TestWithParam<int> {};

TEST_P(ProgramLockOnThreads, ExcludeEachOther) {
    constexpr int kRounds = 4'000, kLocks = 2;
    struct {
        ProgramLock lock;
        long sum = 0; // plain: ThreadSanitizer reports a missing order
    } locks[kLocks];
    on_threads(GetParam(), [&](int number) TEFF_LOCK_CROSSES_CALLS {
        for (int round = 0; round < kRounds; ++round) {
            auto& [lock, sum] = locks[round % kLocks];
            // Every fourth thread has a priority. All threads must also make progress without a
            // thread with priority.
            if (!lock.try_lock()) lock.wait(number % 4 == 3 ? 1 + round % 3 : 0);
            const long seen = sum;
            if (round % 128 == 0) std::this_thread::yield(); // other threads queue up and go to sleep
            sum = seen + 1;
            lock.unlock();
        }
    });
    for (auto& [lock, sum] : locks) {
        EXPECT_EQ(sum, long{kRounds} / kLocks * GetParam());
        EXPECT_TRUE(lock.try_lock());
    }
}

INSTANTIATE_TEST_SUITE_P(Threads, ProgramLockOnThreads, testing::Values(2, 3, 4, 8, 16),
                         testing::PrintToStringParamName());

// A waiter that reports when it is queued.
struct Announced : LockWaiterOver<base::RealAtomics> {
    Announced(std::int32_t its_priority, std::atomic<int>& counted)
        : LockWaiterOver(its_priority, true, wake_up), queued(counted) {}

    LockWait wait() {
        queued.fetch_add(1);
        while (state() == LockWait::kWaiting)
            base::futex_wait(state_, 0);
        return state();
    }
    static void wake_up(LockWaiterOver& waiter, LockWait outcome) {
        auto& word = static_cast<Announced&>(waiter).state_;
        waiter.settle(outcome);
        base::futex_wake(word, 1);
    }

    std::atomic<int>& queued;
};

TEST(ProgramLockThreads, TheHighestPriorityGoesFirst) TEFF_LOCK_CROSSES_CALLS {
    constexpr int kThreads = 8;
    using Lock = ProgramLockOver<base::RealAtomics>;
    Lock::Waiters waiters;
    Lock lock;
    std::atomic<int> queued{0};
    std::vector<int> order;
    ASSERT_TRUE(lock.try_lock());
    std::vector<std::thread> threads;
    for (int number = 0; number < kThreads; ++number)
        threads.emplace_back([&, priority = 1 + number * 5 % kThreads]() TEFF_LOCK_CROSSES_CALLS {
            Announced waiter(priority, queued);
            lock.wait(waiters, waiter);
            order.push_back(priority);
            lock.unlock(waiters);
        });
    while (queued.load() < kThreads)
        std::this_thread::yield();
    lock.unlock(waiters);
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(order, (std::vector<int>{8, 7, 6, 5, 4, 3, 2, 1}));
}

// AddressSanitizer reports an unlock that accesses the lock after the next holder has it.
TEST(ProgramLockThreads, TheNextHolderMayFreeTheLock) TEFF_LOCK_CROSSES_CALLS {
    constexpr int kRounds = 2'000;
    int freed = 0;
    for (int round = 0; round < kRounds; ++round) {
        auto* const lock = new ProgramLock;
        ASSERT_TRUE(lock->try_lock());
        std::thread next([&, lock]() TEFF_LOCK_CROSSES_CALLS {
            if (!lock->try_lock()) lock->wait(round % 2);
            lock->unlock();
            delete lock;
            ++freed;
        });
        if (round % 4 < 2) std::this_thread::yield();
        lock->unlock();
        next.join();
    }
    EXPECT_EQ(freed, kRounds);
}

TEST(ProgramLockThreads, UnlockOfAFreeLockDoesNoHarm) TEFF_LOCK_CROSSES_CALLS {
    ProgramLock lock;
    lock.unlock();
    EXPECT_TRUE(lock.try_lock());
    EXPECT_FALSE(lock.try_lock());
}

} // namespace
} // namespace teff::sync
