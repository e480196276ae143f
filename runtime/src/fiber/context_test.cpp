// SPDX-License-Identifier: Apache-2.0
#include "fiber/context.h"

#include <atomic>
#include <cerrno>
#include <cfenv>
#include <cstdint>
#include <gtest/gtest.h>
#include <thread>
#include <unwind.h>
#include <vector>

#include "fiber/raw_switch.h"
#include "fiber/test_stack.h"

namespace teff::fiber {
namespace {

// Two contexts that pass control to each other; `other` runs the test's function.
struct Pair {
    Context own;
    TestStack other;
    std::vector<int> seen;

    void start(Function function) { own.start(other.context, function, this, do_nothing()); }
    void go_on() { own.switch_to(other.context, do_nothing()); }
    void go_back() { other.context.switch_to(own, do_nothing()); }
    [[noreturn]] void end() { other.context.leave_for(own, do_nothing()); }
};

Pair& pair_of(void* argument) { return *static_cast<Pair*>(argument); }

TEST(Context, GoesOnWhereItWasLeft) {
    Pair pair;
    pair.start([](void* argument) {
        Pair& inside = pair_of(argument);
        for (int i = 0; i < 3; ++i) {
            inside.seen.push_back(i * 2);
            inside.go_back();
        }
        inside.end();
    });
    for (int i = 0; i < 3; ++i) {
        pair.seen.push_back(i * 2 + 1);
        pair.go_on();
    }
    EXPECT_EQ(pair.seen, (std::vector<int>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(pair.other.context.saved(), nullptr) << "it has ended";
}

TEST(Context, IsSavedWhenTheArrivingSideIsToPublishIt) {
    Pair pair;
    static const Frame* saved;
    static bool on_the_new_stack;
    saved = nullptr;
    pair.own.start(pair.other.context, [](void* argument) { pair_of(argument).end(); }, &pair,
                   {[](void* argument) {
                        const Pair& departed = pair_of(argument);
                        saved = departed.own.saved();
                        const void* here = __builtin_frame_address(0);
                        on_the_new_stack =
                            departed.other.context.bottom() < here && here < departed.other.context.top();
                    },
                    &pair});
    EXPECT_NE(saved, nullptr);
    EXPECT_TRUE(on_the_new_stack);
    EXPECT_EQ(pair.own.saved(), nullptr) << "it runs";
}

TEST(Context, StartsAnewAfterItsEnd) {
    Pair pair;
    for (int i = 0; i < 1000; ++i)
        pair.start([](void* argument) {
            pair_of(argument).seen.push_back(1);
            pair_of(argument).end();
        });
    EXPECT_EQ(pair.seen.size(), 1000u);
}

TEST(Context, KeepsErrno) {
    Pair pair;
    errno = EDOM;
    pair.start([](void* argument) {
        Pair& inside = pair_of(argument);
        inside.seen.push_back(errno);
        errno = ERANGE;
        inside.go_back();
        inside.seen.push_back(errno);
        inside.end();
    });
    EXPECT_EQ(errno, EDOM);
    errno = EILSEQ;
    pair.go_on();
    EXPECT_EQ(errno, EILSEQ);
    EXPECT_EQ(pair.seen, (std::vector<int>{0, ERANGE}));
}

TEST(Context, KeepsItsRounding) {
    Pair pair;
    std::fesetround(FE_UPWARD);
    pair.start([](void* argument) {
        Pair& inside = pair_of(argument);
        inside.seen.push_back(std::fegetround());
        std::fesetround(FE_DOWNWARD);
        inside.go_back();
        inside.seen.push_back(std::fegetround());
        inside.end();
    });
    EXPECT_EQ(std::fegetround(), FE_UPWARD);
    std::fesetround(FE_TONEAREST);
    pair.go_on();
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    EXPECT_EQ(pair.seen, (std::vector<int>{FE_UPWARD, FE_DOWNWARD}));
}

// A computation that leaves its context after each step. Any thread that finds it published
// continues it.
struct Wanderer {
    static constexpr int kSteps = 2'000;
    TestStack stack;
    Context* host = nullptr; // the context of the thread that runs it now
    std::atomic<bool> resumable{false}, ended{false};
    std::uint64_t sum = 0; // plain: ThreadSanitizer checks the order created by the publication

    static void compute(void* argument) {
        auto& self = *static_cast<Wanderer*>(argument);
        std::uint64_t local = 0;
        for (int step = 1; step <= kSteps; ++step) {
            local += static_cast<std::uint64_t>(step);
            self.sum = local;
            self.stack.context.switch_to(*self.host, {&publish, argument});
        }
        self.stack.context.leave_for(*self.host, {&end, argument});
    }
    static void publish(void* argument) {
        static_cast<Wanderer*>(argument)->resumable.store(true, std::memory_order_release);
    }
    static void end(void* argument) { static_cast<Wanderer*>(argument)->ended.store(true, std::memory_order_release); }
};

TEST(Context, GoesFromThreadToThread) {
    Wanderer wanderer;
    const auto work = [&] {
        Context own;
        while (!wanderer.ended.load(std::memory_order_acquire)) {
            if (!wanderer.resumable.exchange(false, std::memory_order_acquire)) {
                std::this_thread::yield();
                continue;
            }
            wanderer.host = &own;
            own.switch_to(wanderer.stack.context, do_nothing());
        }
    };
    Context first;
    wanderer.host = &first;
    first.start(wanderer.stack.context, &Wanderer::compute, &wanderer, do_nothing());
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back(work);
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(wanderer.sum, std::uint64_t{Wanderer::kSteps} * (Wanderer::kSteps + 1) / 2);
}

struct Trace {
    Pair pair;
    int frames = 0;
    std::uintptr_t last = 0;
    _Unwind_Reason_Code result = _URC_NO_REASON;
};

TEST(Backtrace, EndsAtTheBase) {
    Trace trace;
    const auto inside = [](void* argument) {
        auto& written = *static_cast<Trace*>(argument);
        written.result = _Unwind_Backtrace(
            [](_Unwind_Context* frame, void* into) {
                auto& at = *static_cast<Trace*>(into);
                // GCC's unwinder adds an empty frame at the end.
                if (const std::uintptr_t address = _Unwind_GetIP(frame)) at.last = address;
                return ++at.frames < 100 ? _URC_NO_REASON : _URC_NORMAL_STOP;
            },
            argument);
        written.pair.end();
    };
    trace.pair.own.start(trace.pair.other.context, inside, &trace, do_nothing());
    EXPECT_EQ(trace.result, _URC_END_OF_STACK);
    EXPECT_GE(trace.frames, 2);
    EXPECT_LT(trace.frames, 20);
    const auto base = reinterpret_cast<std::uintptr_t>(&teff_fiber_base);
    EXPECT_GT(trace.last, base);
    EXPECT_LT(trace.last, base + 32);
}

// A debugger's breakpoint is set here (tests.cmake).
extern "C" [[gnu::noinline]] void teff_fiber_test_stop() { asm volatile(""); }

TEST(Backtrace, CanBeTakenByADebugger) {
    Pair pair;
    pair.start([](void* argument) {
        teff_fiber_test_stop();
        pair_of(argument).end();
    });
}

TEST(ContextDeathTest, AFunctionThatReturnsEndsTheProgram) {
    EXPECT_DEATH(
        {
            Pair pair;
            pair.start([](void*) {});
        },
        "");
}

} // namespace
} // namespace teff::fiber
