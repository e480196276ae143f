// SPDX-License-Identifier: Apache-2.0
#include "base/arch/arch.h"

#include <atomic>
#include <cerrno>
#include <cfenv>
#include <csignal>
#include <gtest/gtest.h>
#include <linux/futex.h>
#include <sched.h>
#include <unistd.h>

namespace teff::base::arch {

namespace {

TEST(Arch, TicksGoOn) {
    const std::uint64_t before = read_ticks();
    while (read_ticks() == before)
        cpu_relax();
    EXPECT_GT(read_ticks_behind_loads(), before);
}

TEST(Arch, SystemCallsGetAllArgumentsAndLeaveErrno) {
    errno = 77;
    EXPECT_EQ(system_call(SYS_getpid, 0, 0, 0, 0, 0, 0), getpid());
    EXPECT_EQ(system_call(SYS_close, -1, 0, 0, 0, 0, 0), -EBADF);
    const long page = system_call(SYS_mmap, 0, kPageBytes, 3, 0x22, -1, 0); // the sixth is the offset
    ASSERT_GT(page, 0);
    EXPECT_EQ(system_call(SYS_mmap, 0, kPageBytes, 3, 0x22, -1, 1), -EINVAL);
    EXPECT_EQ(system_call(SYS_munmap, page, kPageBytes, 0, 0, 0, 0), 0);
    EXPECT_EQ(errno, 77);
}

TEST(Arch, KnowsTheProcessorOfTheThread) {
    cpu_set_t before, one;
    ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    const int here = sched_getcpu();
    ASSERT_GE(here, 0);
    CPU_ZERO(&one);
    CPU_SET(here, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) GTEST_SKIP() << "the thread cannot stay on one processor";
    look_for_processor_instruction();
    EXPECT_EQ(read_processor(), static_cast<unsigned>(here));
    sched_setaffinity(0, sizeof before, &before);
}

thread_local std::uint32_t of_this_thread = 0;

TEST(Arch, ReadsTheMemoryOfTheThread) {
    of_this_thread = 0x1234'5678;
    const auto area = reinterpret_cast<std::intptr_t>(__builtin_thread_pointer());
    EXPECT_EQ(read_of_thread(reinterpret_cast<std::intptr_t>(&of_this_thread) - area), 0x1234'5678u);
}

// What a thread without the C library does, and how its end is seen.
struct Work {
    std::atomic<int> done{0};
    std::atomic<std::uint32_t> id{~0u};

    static void run(void* work) {
        static_cast<Work*>(work)->done = static_cast<int>(system_call(SYS_gettid, 0, 0, 0, 0, 0, 0));
    }
    long start(ThreadArea* area) {
        constexpr unsigned long kFlags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                                         CLONE_SYSVSEM | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
        alignas(16) static char stack[16 << 10];
        return start_bare_thread(kFlags | (area != nullptr ? CLONE_SETTLS : 0), stack + sizeof stack,
                                 reinterpret_cast<std::uint32_t*>(&id), run, this, area);
    }
    void wait() {
        while (const std::uint32_t running = id.load(std::memory_order_acquire))
            (void)system_call(SYS_futex, reinterpret_cast<long>(&id), FUTEX_WAIT, running, 0, 0, 0);
    }
};

TEST(Arch, ABareThreadRunsAndEnds) {
    if (!kCanLackThreadLocals) GTEST_SKIP() << "the sanitizer does not know such threads";
    static ThreadArea area;
    make_thread_area(area);
    for (ThreadArea* const own : {static_cast<ThreadArea*>(nullptr), &area}) {
        Work work;
        const long thread = work.start(own);
        ASSERT_GT(thread, 0);
        work.wait();
        EXPECT_EQ(work.done, thread);
    }
}

struct Seen {
    const void *instruction, *stack;
    std::uintptr_t frame;
    FloatModes modes;
    int rounding_after;
};
Seen seen;

void on_signal(int, siginfo_t*, void* context) {
    seen = {interrupted_instruction(context), interrupted_stack(context), interrupted_frame(context),
            interrupted_float_modes(context), 0};
    std::fesetround(FE_TONEAREST);
    set_float_modes(seen.modes);
    seen.rounding_after = std::fegetround();
}

TEST(Arch, ASignalsHandlerKnowsWhatItHasInterrupted) {
    struct sigaction action = {}, before;
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO;
    ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
    std::fesetround(FE_TOWARDZERO);
    raise(SIGUSR1);
    const int rounding = std::fegetround();
    std::fesetround(FE_TONEAREST);
    sigaction(SIGUSR1, &before, nullptr);
    EXPECT_EQ(rounding, FE_TOWARDZERO); // the program has its own again
    EXPECT_EQ(seen.rounding_after, FE_TOWARDZERO);
    EXPECT_TRUE(is_in_system_call(reinterpret_cast<std::uintptr_t>(seen.instruction)));
    EXPECT_LT(seen.stack, __builtin_frame_address(0));
    EXPECT_GT(static_cast<const char*>(seen.stack) + (64 << 10), __builtin_frame_address(0));
}

[[gnu::noinline]] const void* returns_to() { return __builtin_return_address(0); }
const void* (*volatile indirectly)() = returns_to;

TEST(Arch, TellsWhereACallEnds) {
    const auto direct = reinterpret_cast<std::uintptr_t>(returns_to());
    EXPECT_TRUE(follows_call(direct));
    EXPECT_TRUE(follows_call(reinterpret_cast<std::uintptr_t>(indirectly())));
    EXPECT_FALSE(is_in_system_call(direct));
}

TEST(Arch, KnowsTheFrameOfThisPoint) {
    const FrameRegisters here = frame_registers();
    const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    EXPECT_EQ(here.frame, frame);
    EXPECT_LE(here.stack, frame);
    EXPECT_NE(here.code, 0u);
}

TEST(Arch, KnowsTheSlotsOfFunctions) {
    EXPECT_FALSE(is_function_slot(0));
    EXPECT_FALSE(is_thread_local_slot(0));
}

} // namespace

} // namespace teff::base::arch
