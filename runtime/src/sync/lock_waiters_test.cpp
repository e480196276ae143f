// SPDX-License-Identifier: Apache-2.0
#include "sync/lock_waiters.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <vector>

namespace teff::sync {
namespace {

// One bucket, and a clock that the test sets.
struct OneBucket : LockLimits {
    static constexpr base::Ticks kPatience = 100, kBetweenTurns = 10 * kPatience;
    static base::Ticks patience() { return kPatience; }
    static constexpr unsigned kBucketBits = 0;
    static inline base::Ticks time = 1;
    static base::Ticks now() { return time; }
};

using Table = LockWaitersOver<base::RealAtomics, OneBucket>;

struct Waiter : LockWaiterOver<base::RealAtomics> {
    Waiter(std::int32_t its_priority, bool is_prompt, std::vector<Waiter*>& to)
        : LockWaiterOver(its_priority, is_prompt, note), notified(to) {}

    std::vector<Waiter*>& notified;

    static void note(LockWaiterOver& waiter, LockWait outcome) {
        Waiter& self = static_cast<Waiter&>(waiter);
        self.notified.push_back(&self);
        self.settle(outcome);
    }
};

// The result of giving back a lock: the notified waiters, in order, and whether the lock became
// free.
struct Outcome {
    std::vector<Waiter*> notified;
    bool freed;
    bool operator==(const Outcome&) const = default;
};

class LockWaitersTest : public testing::Test {
  protected:
    LockWaitersTest() { OneBucket::time = 2 * OneBucket::kBetweenTurns; } // long after the start

    Waiter& queue(const void* lock, std::int32_t priority = 0, bool prompt = true) {
        all.push_back(std::make_unique<Waiter>(priority, prompt, notified));
        queue(lock, *all.back());
        return *all.back();
    }
    void queue(const void* lock, Waiter& waiter) {
        EXPECT_TRUE(table.queue_unless(waiter, lock, [] { return false; }));
    }

    Outcome give_back(const void* lock) {
        notified.clear();
        bool freed = false;
        table.give_back(lock, [&](bool handed_over) { freed = !handed_over; });
        return {notified, freed};
    }

    Outcome woken(std::vector<Waiter*> who) { return {std::move(who), true}; }
    Outcome handed_to(Waiter& who) { return {{&who}, false}; }

    Table table;
    std::vector<Waiter*> notified;
    std::vector<std::unique_ptr<Waiter>> all;
    int locks[8];
};

TEST_F(LockWaitersTest, WithoutWaitersALockBecomesFree) {
    EXPECT_EQ(give_back(&locks[0]), woken({}));
    queue(&locks[1]);
    EXPECT_EQ(give_back(&locks[0]), woken({})) << "another lock's waiter in the same bucket";
}

TEST_F(LockWaitersTest, WhoFoundTheLockFreeIsNotQueued) {
    Waiter waiter(0, true, notified);
    EXPECT_FALSE(table.queue_unless(waiter, &locks[0], [] { return true; }));
    EXPECT_EQ(give_back(&locks[0]), woken({}));
}

TEST_F(LockWaitersTest, AmongEqualsTheOldestIsWokenAndCompetes) {
    Waiter& first = queue(&locks[0]);
    OneBucket::time += 1;
    Waiter& second = queue(&locks[0]);
    EXPECT_EQ(give_back(&locks[0]), woken({&first}));
    EXPECT_EQ(first.state(), LockWait::kWoken);
    EXPECT_EQ(second.state(), LockWait::kWaiting);
    OneBucket::time += 1;
    queue(&locks[0], first); // it did not get the lock: it waits again, and is still the oldest
    EXPECT_EQ(give_back(&locks[0]), woken({&first}));
    EXPECT_EQ(give_back(&locks[0]), woken({&second}));
    EXPECT_EQ(give_back(&locks[0]), woken({}));
}

TEST_F(LockWaitersTest, AWaiterWithAPriorityIsHandedTheLock) {
    Waiter& low = queue(&locks[0], 1);
    queue(&locks[1], 7);
    Waiter& high = queue(&locks[0], 5);
    Waiter& none = queue(&locks[0], 0);
    EXPECT_EQ(give_back(&locks[0]), handed_to(high));
    EXPECT_EQ(high.state(), LockWait::kHandedOver);
    EXPECT_EQ(give_back(&locks[0]), handed_to(low));
    EXPECT_EQ(give_back(&locks[0]), woken({&none}));
}

TEST_F(LockWaitersTest, WhoHasWaitedLongIsHandedTheLock) {
    Waiter& first = queue(&locks[0]);
    OneBucket::time += 1;
    Waiter& second = queue(&locks[0]);
    OneBucket::time += OneBucket::kPatience - 2;
    EXPECT_EQ(give_back(&locks[0]), woken({&first}));
    queue(&locks[0], first);
    OneBucket::time += 2; // long enough for both
    EXPECT_EQ(give_back(&locks[0]), handed_to(first));
    EXPECT_EQ(give_back(&locks[0]), woken({&second})) << "two hand-overs in a row would stop the lock for two switches";
    queue(&locks[0], second);
    OneBucket::time += OneBucket::kBetweenTurns;
    EXPECT_EQ(give_back(&locks[0]), handed_to(second));
}

TEST_F(LockWaitersTest, AClockThatIsBehindHandsNothingOver) {
    OneBucket::time = 10'000;
    Waiter& waiter = queue(&locks[0]);
    OneBucket::time = 9'999;
    EXPECT_EQ(give_back(&locks[0]), woken({&waiter}));
}

TEST_F(LockWaitersTest, TheNextPromptWaiterIsWokenAlongWithThoseThatAreNot) {
    Waiter& high = queue(&locks[0], 3, false);
    Waiter& away = queue(&locks[0], 2, false);
    Waiter& elsewhere = queue(&locks[1], 2);
    Waiter& prompt = queue(&locks[0], 1);
    Waiter& last = queue(&locks[0], 0, false);
    OneBucket::time += OneBucket::kPatience;
    EXPECT_EQ(give_back(&locks[0]), woken({&high, &away, &prompt}));
    EXPECT_EQ(give_back(&locks[0]), woken({&last})) << "it is never handed the lock";
    EXPECT_EQ(give_back(&locks[1]), handed_to(elsewhere));
}

TEST_F(LockWaitersTest, AForkedChildHasNoWaiters) {
    queue(&locks[0]);
    table.forget();
    EXPECT_EQ(give_back(&locks[0]), woken({}));
    Waiter& mine = queue(&locks[0]);
    EXPECT_EQ(give_back(&locks[0]), woken({&mine}));
}

// Compares with a plain list that is searched.
TEST_F(LockWaitersTest, RandomUseAgreesWithAPlainList) {
    std::mt19937 random(11);
    struct Entry {
        const void* lock;
        Waiter* waiter;
    };
    std::vector<Entry> model;
    std::vector<Waiter*> free;
    for (int i = 0; i < 40; ++i) {
        const int number = static_cast<int>(random() % 3);
        all.push_back(std::make_unique<Waiter>(number - 1, random() % 4 != 0, notified));
        free.push_back(all.back().get());
    }
    for (int step = 0; step < 20'000; ++step) {
        OneBucket::time += 1;
        const void* const lock = &locks[random() % 8];
        if (random() % 2 == 0 && !free.empty()) {
            std::swap(free.back(), free[random() % free.size()]);
            Waiter& waiter = *free.back();
            if (random() % 2 == 0) waiter.since = 0; // a new wait; otherwise the wait continues
            free.pop_back();
            queue(lock, waiter);
            model.push_back({lock, &waiter});
            continue;
        }
        const Outcome outcome = give_back(lock);
        for (Waiter* const waiter : outcome.notified) {
            const auto best = std::min_element(model.begin(), model.end(), [&](const Entry& a, const Entry& b) {
                if ((a.lock == lock) != (b.lock == lock)) return a.lock == lock;
                if (a.waiter->priority != b.waiter->priority) return a.waiter->priority > b.waiter->priority;
                return a.waiter->since < b.waiter->since;
            });
            ASSERT_TRUE(best != model.end() && best->lock == lock && best->waiter == waiter);
            model.erase(best);
            free.push_back(waiter);
        }
        const bool any_left =
            std::any_of(model.begin(), model.end(), [&](const Entry& entry) { return entry.lock == lock; });
        const bool prompt_woken = !outcome.notified.empty() && outcome.notified.back()->prompt;
        ASSERT_TRUE(prompt_woken || !any_left);
        ASSERT_TRUE(outcome.freed || (outcome.notified.size() == 1 && outcome.notified[0]->prompt));
    }
}

} // namespace
} // namespace teff::sync
