// SPDX-License-Identifier: Apache-2.0
#include "fiber/stack_pool.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "fiber/sanitizers.h"
#include "fiber/test_stack.h"

namespace teff::fiber {
namespace {

constexpr std::size_t kPage = 4096;

bool under_a_sanitizer() { return __asan_unpoison_memory_region != nullptr || __tsan_create_fiber != nullptr; }

class StackPoolTest : public testing::Test {
  protected:
    void open(unsigned limit, unsigned idle_limit = 64, std::size_t bytes = 256 << 10) {
        ASSERT_TRUE(pool.open({bytes, limit, idle_limit}));
    }
    void TearDown() override {
        cache.hand_over_all();
        if (pool.limit() != 0) {
            EXPECT_EQ(pool.counts().in_use, 0u);
            pool.close();
        }
    }

    StackPool pool;
    StackCache cache{pool};
};

std::size_t resident_pages(const Context& context) {
    const auto bottom = reinterpret_cast<std::uintptr_t>(context.bottom());
    const std::size_t pages = (reinterpret_cast<std::uintptr_t>(context.top()) - bottom) / kPage + 1;
    std::vector<unsigned char> resident(pages);
    EXPECT_EQ(mincore(const_cast<void*>(context.bottom()), pages * kPage, resident.data()), 0);
    std::size_t count = 0;
    for (const unsigned char page : resident)
        count += page & 1u;
    return count;
}

// Runs on a context, touches a number of bytes of its stack, and ends the context.
struct Visit {
    StackCache& cache;
    Context own;
    PooledContext* context = nullptr;
    std::size_t bytes = 0;

    void run() {
        const auto function = [](void* argument) {
            auto& self = *static_cast<Visit*>(argument);
            void* const room = __builtin_alloca(self.bytes + 1);
            std::memset(room, 1, self.bytes + 1);
            asm volatile("" : : "r"(room) : "memory"); // the compiler must assume a read
            self.context->leave_for(self.own, self.cache.returning(*self.context));
        };
        own.start(*context, function, this, do_nothing());
    }
};

TEST_F(StackPoolTest, GivesOutTheStackThatIsWarm) {
    open(10);
    PooledContext* const first = cache.take();
    ASSERT_NE(first, nullptr);
    cache.give_back(*first);
    EXPECT_EQ(cache.take(), first);
    cache.give_back(*first);
}

TEST_F(StackPoolTest, RoundsTheSizeUp) {
    open(1, 1, 300'001);
    EXPECT_EQ(pool.stack_bytes(), 303'104u);
    PooledContext* const context = cache.take();
    const auto bytes = static_cast<const char*>(context->top()) - static_cast<const char*>(context->bottom());
    EXPECT_GE(bytes, 300'001);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(context->top()) % 64, 0u);
    cache.give_back(*context);
    cache.hand_over_all();
    pool.close();
    open(1, 1, 1);
    EXPECT_EQ(pool.stack_bytes(), least_stack_bytes());
    EXPECT_GE(least_stack_bytes(), std::size_t{16} << 10);
}

TEST_F(StackPoolTest, ReturnsNullAtItsLimit) {
    open(3);
    std::vector<PooledContext*> taken;
    for (int i = 0; i < 3; ++i)
        taken.push_back(cache.take());
    EXPECT_EQ(cache.take(), nullptr);
    EXPECT_EQ(cache.take(), nullptr);
    EXPECT_EQ(pool.counts().refused, 2u);
    EXPECT_EQ(pool.counts().in_use, 3u);
    cache.give_back(*taken.back());
    EXPECT_EQ(cache.take(), taken.back());
    for (PooledContext* context : taken)
        cache.give_back(*context);
}

TEST_F(StackPoolTest, ReturnsNullIfTheSystemRefuses) {
    open(3, 3, std::size_t{1} << 47); // more than there are addresses
    errno = EDOM;
    EXPECT_EQ(cache.take(), nullptr);
    EXPECT_EQ(errno, EDOM);
    EXPECT_EQ(pool.counts().existing, 0u);
    EXPECT_EQ(pool.counts().refused, 1u);
}

TEST_F(StackPoolTest, HasNoContextsBeforeItIsOpen) { EXPECT_EQ(cache.take(), nullptr); }

// Tends the pool like a thread that has slept for a while.
void tend(StackPool& pool) {
    if (pool.try_begin_to_tend()) pool.tend(true);
}

TEST_F(StackPoolTest, BoundsWhatIsNotInUseWhenThreadsSleep) {
    constexpr unsigned kIdle = 10, kTaken = 100;
    open(kTaken, kIdle);
    std::vector<PooledContext*> taken;
    for (unsigned i = 0; i < kTaken; ++i)
        taken.push_back(cache.take());
    for (PooledContext* context : taken) {
        cache.give_back(*context);
        EXPECT_LE(pool.counts().cached, StackCache::kMost);
    }
    StackPool::Counts counts = pool.counts();
    EXPECT_EQ(counts.made, kTaken);
    EXPECT_EQ(counts.peak, kTaken);
    EXPECT_EQ(counts.in_use, 0u);
    EXPECT_EQ(counts.existing, kTaken);
    EXPECT_EQ(counts.existing, counts.cached + counts.idle);
    tend(pool); // the stacks may have been needed since the last time
    EXPECT_EQ(pool.counts().existing, kTaken);
    while (pool.try_begin_to_tend())
        pool.tend(true);
    EXPECT_EQ(pool.counts().idle, kIdle);
    // Slots of the table are used again.
    for (PooledContext*& context : taken)
        ASSERT_NE(context = cache.take(), nullptr);
    EXPECT_EQ(pool.counts().existing, kTaken);
    for (PooledContext* context : taken)
        cache.give_back(*context);
}

TEST_F(StackPoolTest, UsesStacksAgainThatWereInUseLately) {
    constexpr unsigned kTaken = 100;
    open(kTaken, 0);
    const auto use = [&](unsigned number) {
        std::vector<PooledContext*> taken(number);
        for (PooledContext*& context : taken)
            ASSERT_NE(context = cache.take(), nullptr);
        for (PooledContext* context : taken)
            Visit{cache, {}, context, 2 * kPage}.run();
    };
    for (int i = 0; i < 3; ++i)
        use(kTaken);
    EXPECT_EQ(pool.counts().made, kTaken);
    for (int i = 0; i < 5; ++i) {
        tend(pool);
        use(90);
    }
    EXPECT_GE(pool.counts().existing, 90u);
    EXPECT_LT(pool.counts().existing, kTaken) << "some have not been needed";
    EXPECT_EQ(pool.counts().made, kTaken);
}

TEST_F(StackPoolTest, OneThreadAtATimeTendsIt) {
    open(20);
    EXPECT_FALSE(pool.try_begin_to_tend()) << "there is nothing to tend";
    std::vector<PooledContext*> taken(20);
    for (PooledContext*& context : taken)
        context = cache.take();
    for (PooledContext* context : taken)
        cache.give_back(*context);
    EXPECT_TRUE(pool.try_begin_to_tend());
    EXPECT_FALSE(pool.try_begin_to_tend());
    pool.tend(false); // the thread was woken early
    EXPECT_EQ(pool.counts().existing, 20u);
    EXPECT_TRUE(pool.try_begin_to_tend());
    pool.tend(true);
}

TEST_F(StackPoolTest, MapsSeveralAtATimeEachWithItsGuard) {
    open(1000);
    std::vector<PooledContext*> taken(100);
    for (PooledContext*& context : taken)
        ASSERT_NE(context = cache.take(), nullptr);
    for (const PooledContext* context : taken) {
        auto* const bottom = static_cast<char*>(const_cast<void*>(context->bottom()));
        unsigned char resident;
        EXPECT_EQ(mincore(bottom, kPage, &resident), 0);
        EXPECT_EQ(bottom[0], 0);
        // Uses a system call as a test: the kernel refuses to access memory that this process must
        // not write.
        int ends[2];
        ASSERT_EQ(pipe(ends), 0);
        ASSERT_EQ(write(ends[1], "x", 1), 1);
        EXPECT_EQ(read(ends[0], bottom - 1, 1), -1);
        EXPECT_EQ(errno, EFAULT);
        close(ends[0]);
        close(ends[1]);
    }
    EXPECT_LE(pool.counts().existing, 100u + StackCache::kMost);
    for (PooledContext* context : taken)
        cache.give_back(*context);
}

TEST_F(StackPoolTest, GivesPagesBackWhenItsThreadEnds) {
    open(2);
    Visit visit{cache, {}, cache.take(), 100'000};
    PooledContext& context = *visit.context;
    visit.run();
    EXPECT_GE(resident_pages(context), 100'000 / kPage) << "a cached stack keeps its pages";
    cache.hand_over_all();
    EXPECT_EQ(resident_pages(context), 1u);
}

TEST_F(StackPoolTest, TakesNoMemoryFromMalloc) {
    if (under_a_sanitizer()) GTEST_SKIP() << "mallinfo2 knows nothing of its malloc";
    const std::size_t before = mallinfo2().uordblks;
    open(20, 2);
    PooledContext* taken[20];
    for (PooledContext*& context : taken)
        context = cache.take();
    for (PooledContext* context : taken)
        Visit{cache, {}, context, 0}.run();
    cache.hand_over_all();
    EXPECT_EQ(mallinfo2().uordblks, before);
}

// Each context waits in its function, is resumed later, and ends.
struct Waiting {
    Context* host;
    StackCache* cache;
    PooledContext* context;
    int resumed = 0;

    static void wait(void* argument) {
        auto& self = *static_cast<Waiting*>(argument);
        self.context->switch_to(*self.host, do_nothing());
        ++self.resumed;
        self.context->leave_for(*self.host, self.cache->returning(*self.context));
    }
};

TEST_F(StackPoolTest, TenThousandContextsWait) {
    // ThreadSanitizer makes a thread of each context, and supports 8,000.
    const unsigned number = __tsan_create_fiber != nullptr ? 500 : 10'000;
    open(number);
    Context own;
    std::vector<Waiting> all(number);
    std::size_t pages = 0;
    for (Waiting& waiting : all) {
        waiting = {&own, &cache, cache.take()};
        ASSERT_NE(waiting.context, nullptr);
        own.start(*waiting.context, &Waiting::wait, &waiting, do_nothing());
        pages += resident_pages(*waiting.context);
    }
    EXPECT_EQ(pool.counts().in_use, number);
    // One page for each context in optimised code; the sanitizers' frames are larger.
    EXPECT_LE(pages, std::size_t{number} * 2);
    RecordProperty("resident_bytes_per_context", static_cast<int>(pages * kPage / number));
    for (Waiting& waiting : all) {
        own.switch_to(*waiting.context, do_nothing());
        ASSERT_EQ(waiting.resumed, 1);
    }
    EXPECT_EQ(pool.counts().in_use, 0u);
    EXPECT_EQ(pool.counts().peak, number);
}

TEST_F(StackPoolTest, ThreadsShareIt) {
    constexpr int kThreads = 4, kRounds = 2'000;
    open(24, 4); // fewer than all threads together want to hold
    std::atomic<PooledContext*> passed_on{nullptr};
    std::atomic<int> visits{0};
    const auto work = [&] {
        StackCache mine{pool};
        for (int round = 0; round < kRounds; ++round) {
            PooledContext* held[7] = {};
            for (PooledContext*& context : held)
                context = mine.take();
            for (PooledContext* context : held) {
                // Some contexts are given back by a thread other than the one that took them.
                if (context != nullptr && round % 3 == 0)
                    context = passed_on.exchange(context, std::memory_order_acq_rel);
                if (context == nullptr) continue;
                Visit{mine, {}, context, 0}.run();
                visits.fetch_add(1, std::memory_order_relaxed);
            }
        }
        mine.hand_over_all();
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
        threads.emplace_back(work);
    for (std::thread& thread : threads)
        thread.join();
    if (PooledContext* const last = passed_on.load(std::memory_order_relaxed)) cache.give_back(*last);
    EXPECT_GT(visits.load(), kRounds);
    EXPECT_LE(pool.counts().peak, 24u);
}

TEST_F(StackPoolTest, CountsWhatAThreadHoldsThatOnlyGivesBack) {
    open(2);
    PooledContext* const context = cache.take();
    std::thread([&] {
        StackCache other{pool};
        other.give_back(*context);
        EXPECT_EQ(pool.counts().cached, 1u);
        EXPECT_EQ(pool.counts().in_use, 0u);
        other.hand_over_all();
    }).join();
    EXPECT_EQ(pool.counts().idle, 1u);
}

TEST_F(StackPoolTest, AForkedChildDropsWhatItDoesNotKeep) {
    if (__tsan_create_fiber != nullptr) GTEST_SKIP() << "in a child of several contexts it sees no order any more";
    open(8);
    Context own;
    Waiting kept{&own, &cache, cache.take()}, lost{&own, &cache, cache.take()};
    for (Waiting* waiting : {&kept, &lost})
        own.start(*waiting->context, &Waiting::wait, waiting, do_nothing());
    PooledContext* const cached = cache.take();
    cache.give_back(*cached);
    void* const of_lost = const_cast<void*>(lost.context->bottom());
    const pid_t child = fork();
    if (child == 0) {
        cache.forget_all();
        pool.drop_all_in_child([](const Context& context, void* keep) { return &context == keep; }, kept.context);
        const StackPool::Counts counts = pool.counts();
        bool good = counts.existing == 1 && counts.in_use == 1 && counts.idle == 0;
        unsigned char resident;
        good &= mincore(of_lost, kPage, &resident) == -1 && errno == ENOMEM;
        own.switch_to(*kept.context, do_nothing());
        good &= kept.resumed == 1 && pool.counts().in_use == 0;
        for (int i = 0; i < 8; ++i)
            good &= cache.take() != nullptr;
        good &= cache.take() == nullptr;
        _exit(good ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    for (Waiting* waiting : {&kept, &lost})
        own.switch_to(*waiting->context, do_nothing());
}

TEST(StackPoolLimit, LeavesMappingsToTheProgram) {
    EXPECT_GE(default_limit(), 1000u);
    StackPool pool;
    ASSERT_TRUE(pool.open({256 << 10}));
    EXPECT_EQ(pool.limit(), default_limit());
    pool.close();
}

[[gnu::noinline]] std::size_t sink_into(std::size_t depth) {
    volatile char room[1024];
    room[0] = static_cast<char>(depth);
    return depth == 0 ? 0 : sink_into(depth - 1) + static_cast<std::size_t>(room[0]);
}

TEST(StackPoolDeathTest, AnOverflowHitsTheGuard) {
    StackPool pool;
    StackCache cache{pool};
    ASSERT_TRUE(pool.open({64 << 10}));
    PooledContext* const context = cache.take();
    ASSERT_NE(context, nullptr);
    Context own;
    EXPECT_DEATH(own.start(*context, [](void*) { sink_into(1'000'000); }, nullptr, do_nothing()), "");
    // Checks the stack's bounds: all bytes of the stack can be written, but not the next byte below
    // it.
    const auto bytes = static_cast<const char*>(context->top()) - static_cast<const char*>(context->bottom());
    std::memset(const_cast<void*>(context->bottom()), 1, static_cast<std::size_t>(bytes));
    EXPECT_DEATH(static_cast<volatile char*>(const_cast<void*>(context->bottom()))[-1] = 1, "");
    cache.give_back(*context);
    cache.hand_over_all();
    pool.close();
}

} // namespace
} // namespace teff::fiber
