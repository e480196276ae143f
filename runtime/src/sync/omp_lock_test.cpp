// SPDX-License-Identifier: Apache-2.0
#include "sync/omp_lock.h"

#include <array>
#include <latch>
#include <new>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "sync/critical.h"

namespace teff::sync {
namespace {

constexpr int kThreads = 32; // many more than processors, so that waiters sleep
constexpr int kRounds = 500;

// Runs body(number) in kThreads threads, which start at the same time.
template <class Body> void in_threads(Body&& body) {
    std::vector<std::thread> threads;
    std::latch start(kThreads);
    for (int number = 0; number < kThreads; ++number) {
        threads.emplace_back([&body, &start, number] {
            start.arrive_and_wait();
            body(number);
        });
    }
    for (std::thread& thread : threads)
        thread.join();
}

// A lock in a program's memory, between data that do not belong to the lock.
template <class Lock, std::size_t kBytes> struct InProgram {
    using Canary = std::array<unsigned char, 16>;
    static constexpr Canary kCanary{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

    Canary before = kCanary;
    alignas(Lock) std::array<unsigned char, kBytes> memory;
    Canary after = kCanary;

    InProgram() { memory.fill(0xaa); } // the memory that a program passes to omp_init_lock may contain anything
    Lock& init() { return *::new (memory.data()) Lock; }
    bool neighbours_untouched() const { return before == kCanary && after == kCanary; }
};

TEST(OmpLock, SizesAreThoseOfGccsHeader) {
    EXPECT_EQ(sizeof(ProgramLock), 4u);
    EXPECT_EQ(sizeof(NestLock), 16u);
    EXPECT_EQ(sizeof(OldNestLock), 8u);
}

TEST(OmpLock, SimpleLockExcludesAndStaysInItsFourBytes) TEFF_LOCK_CROSSES_CALLS {
    InProgram<ProgramLock, 4> place;
    ProgramLock& lock = place.init();
    long counter = 0;
    in_threads([&](int) TEFF_LOCK_CROSSES_CALLS {
        for (int i = 0; i < kRounds; ++i) {
            lock.lock();
            const long seen = counter;
            if (i % 64 == 0) std::this_thread::yield(); // other threads come and go to sleep meanwhile
            counter = seen + 1;
            lock.unlock();
        }
    });
    EXPECT_EQ(counter, long{kThreads} * kRounds);
    EXPECT_TRUE(place.neighbours_untouched());
}

TEST(OmpLock, TestFailsWhileHeldAndSucceedsAfterwards) TEFF_LOCK_CROSSES_CALLS {
    ProgramLock lock;
    ASSERT_TRUE(lock.try_lock());
    EXPECT_FALSE(lock.try_lock());
    lock.unlock();
    ASSERT_TRUE(lock.try_lock());
    lock.unlock();
}

TEST(NestLock, CountsTheNestingOfItsOwner) {
    NestLock lock;
    int me, other;
    EXPECT_EQ(lock.try_set(&me), 1);
    EXPECT_EQ(lock.try_set(&me), 2);
    lock.set(&me, [](ProgramLock&) { FAIL() << "the owner must not wait for itself"; });
    EXPECT_EQ(lock.try_set(&me), 4);
    EXPECT_EQ(lock.try_set(&other), 0);
    for (int i = 0; i < 3; ++i) {
        lock.unset();
        EXPECT_EQ(lock.try_set(&other), 0) << "still held after " << i + 1 << " of 4";
    }
    lock.unset();
    EXPECT_EQ(lock.try_set(&other), 1);
    lock.unset();
}

TEST(NestLock, ExcludesOtherOwnersAndStaysInItsBytes) {
    InProgram<NestLock, 16> place;
    NestLock& lock = place.init();
    long counter = 0;
    std::array<char, kThreads> owners;
    in_threads([&](int number) {
        void* const me = &owners[static_cast<std::size_t>(number)];
        for (int i = 0; i < kRounds; ++i) {
            lock.set(me, [](ProgramLock& mutex) TEFF_LOCK_CROSSES_CALLS { mutex.lock(); });
            const long seen = counter;
            ASSERT_EQ(lock.try_set(me), 2);
            if (i % 64 == 0) std::this_thread::yield();
            counter = seen + 1;
            lock.unset();
            lock.unset();
        }
    });
    EXPECT_EQ(counter, long{kThreads} * kRounds);
    EXPECT_TRUE(place.neighbours_untouched());
}

TEST(NestLock, AnOwnerOfAnotherThreadMayGoOn) { // a task that was moved
    NestLock lock;
    int task;
    ASSERT_EQ(lock.try_set(&task), 1);
    std::thread([&] { EXPECT_EQ(lock.try_set(&task), 2); }).join();
    lock.unset();
    lock.unset();
}

TEST(OldNestLock, ExcludesThreadsAndCounts) {
    InProgram<OldNestLock, 8> place;
    OldNestLock& lock = place.init();
    long counter = 0;
    in_threads([&](int) {
        const auto me = static_cast<std::uint32_t>(gettid());
        for (int i = 0; i < kRounds; ++i) {
            lock.set(me);
            const long seen = counter;
            ASSERT_EQ(lock.try_set(me), 2);
            if (i % 64 == 0) std::this_thread::yield();
            counter = seen + 1;
            lock.unset();
            lock.unset();
        }
    });
    EXPECT_EQ(counter, long{kThreads} * kRounds);
    EXPECT_TRUE(place.neighbours_untouched());
}

TEST(OldNestLock, TestFailsForAnotherThread) {
    OldNestLock lock;
    EXPECT_EQ(lock.try_set(7), 1);
    EXPECT_EQ(lock.try_set(8), 0);
    lock.unset();
    EXPECT_EQ(lock.try_set(8), 1);
    lock.unset();
}

TEST(Critical, ANamedSectionsLockIsTheFirstHalfOfItsWord) TEFF_LOCK_CROSSES_CALLS {
    struct {
        void* word = nullptr; // as the compiler emits it
        std::uint64_t canary = 0x1234'5678'9abc'def0;
    } program;
    long counter = 0;
    in_threads([&](int) TEFF_LOCK_CROSSES_CALLS {
        for (int i = 0; i < kRounds; ++i) {
            named_critical_lock(&program.word).lock();
            ++counter;
            named_critical_lock(&program.word).unlock();
        }
    });
    EXPECT_EQ(counter, long{kThreads} * kRounds);
    EXPECT_EQ(program.word, nullptr) << "free again, and its second half was never written";
    EXPECT_EQ(program.canary, 0x1234'5678'9abc'def0u);
}

TEST(Critical, TheTwoCommonLocksAreTwo) TEFF_LOCK_CROSSES_CALLS {
    ASSERT_TRUE(critical_lock.try_lock());
    EXPECT_TRUE(atomic_lock.try_lock()) << "an atomic operation inside a critical region must not wait for it";
    atomic_lock.unlock();
    critical_lock.unlock();
}

} // namespace
} // namespace teff::sync
