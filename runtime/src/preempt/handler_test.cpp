// SPDX-License-Identifier: Apache-2.0
#include "preempt/handler.h"

#include <cerrno>

#include "preempt/preempted_program.h"
#include "preempt/sources.h"
#include "preempt/thread_timers.h"

namespace teff::preempt {
namespace {

class Handler : public PreemptedProgram {
  protected:
    volatile int stop = 0;
    volatile std::uint64_t count = 0;

    // Computes until the hooks have run `times` times; another thread makes the requests.
    void spin_until_served(std::uint64_t times) {
        play.switch_away = [this, times, inner = play.switch_away] {
            inner();
            stop = served() >= times;
        };
        const Asker asker(target);
        program.spin(&stop, &count);
    }
};

TEST_F(Handler, InterruptsAThreadThatComputes) {
    std::uint32_t asked = 0;
    play.may_switch = [&](std::uint32_t priority) {
        asked = priority;
        return true;
    };
    spin_until_served(1000);
    EXPECT_EQ(asked, 1u);
    EXPECT_GT(count, 0u);
    EXPECT_GE(target.requests.load(), target.signals.load());
    EXPECT_GE(target.signals.load(), 1000u);
}

TEST_F(Handler, AsksTheHookAndHeedsItsNo) {
    int asked = 0;
    play.may_switch = [&](std::uint32_t) {
        stop = ++asked >= 100;
        return false;
    };
    play.switch_away = [] { ADD_FAILURE(); };
    const Asker asker(target);
    program.spin(&stop, &count);
    EXPECT_EQ(served(), 0u);
    EXPECT_GE(refused(Refusal::nothing), 100u);
}

TEST_F(Handler, TriesAgainWhenTheHookCouldNotLook) {
    int asked = 0;
    play.may_switch = [&](std::uint32_t priority) {
        EXPECT_EQ(priority, 5u);
        if (++asked < 5) ask_self_again(target, priority);
        return asked == 5;
    };
    play.switch_away = [&] { stop = 1; };
    std::thread once([&] { EXPECT_EQ(request(target, 5), Asked::signalled); });
    program.spin(&stop, &count);
    once.join();
    EXPECT_EQ(asked, 5);
    EXPECT_EQ(target.signals.load(), 1u) << "the others were the retry timer's";
}

TEST_F(Handler, LeavesCodeThatIsNotPreemptibleAlone) {
    std::thread asker([&] { EXPECT_EQ(request(target, 1), Asked::signalled); });
    asker.join();
    while (refused(Refusal::code) == 0) {
    }
    EXPECT_EQ(served(), 0u);
    EXPECT_EQ(target.word.asked(), 1u) << "it is put off";
    // By the retry timer alone: nothing else comes.
    play.switch_away = [&] { stop = 1; };
    program.spin(&stop, &count);
    EXPECT_EQ(served(), 1u);
    EXPECT_EQ(target.word.asked(), 0u);
}

TEST_F(Handler, KnowsSinceWhenItIsAskedAndTellsWhatItDrops) {
    drop_request(target);
    EXPECT_EQ(play.dropped, 0u) << "there was nothing to drop";
    const base::Ticks before = base::ticks();
    std::thread asker([&] { (void)request(target, 3); });
    asker.join();
    const base::Ticks since = target.asked_since.load();
    EXPECT_GE(since, before);
    EXPECT_LE(since, base::ticks());
    ask_self_again(target, 5);
    EXPECT_EQ(target.asked_since.load(), since) << "it is one request";
    drop_request(target);
    EXPECT_EQ(play.dropped, 5u);
    EXPECT_EQ(target.word.asked(), 0u);
}

TEST_F(Handler, WaitsForTheLastLockAndServesAtItsRelease) {
    volatile int released = 0;
    int released_when_served = -1;
    play.switch_away = [&] { released_when_served = released; };
    std::thread asker([&] {
        (void)request(target, 1);
        while (refused(Refusal::held) == 0)
            std::this_thread::yield();
        stop = 1;
    });
    program.spin_in_mutex(&stop, &count, &released);
    asker.join();
    EXPECT_EQ(served(), 1u);
    EXPECT_EQ(released_when_served, 0) << "in the call that gives the lock back";
    EXPECT_EQ(held(), 0u);
}

TEST_F(Handler, SaysThatItCannotSoonAfterSomeRetries) {
    (void)request(target, 1);
    while (refused(Refusal::code) == 0) {
    }
    EXPECT_EQ(play.impatient, 0) << "at the first look";
    while (play.impatient < 2) {
    }
    EXPECT_GE(refused(Refusal::code), 4u);
    EXPECT_EQ(served(), 0u);
}

TEST_F(Handler, LeavesAStackWithoutRoomAlone) {
    const Stack whole = play.stack;
    play.switch_away = [&] { stop = 1; };
    play.stack = {nullptr, nullptr};
    std::thread asker([&] {
        (void)request(target, 1);
        while (refused(Refusal::stack) < 3)
            std::this_thread::yield();
        play.stack = whole;
    });
    program.spin(&stop, &count);
    asker.join();
    EXPECT_EQ(served(), 1u);
}

TEST_F(Handler, NeedsRoomForAnotherFrame) {
    EXPECT_GE(least_stack_room(), std::size_t{18 << 10});
    const char* const here = static_cast<const char*>(__builtin_frame_address(0));
    play.stack.low = here - least_stack_room(); // the computation stands a little lower
    std::thread asker([&] {
        (void)request(target, 1);
        while (refused(Refusal::stack) == 0)
            std::this_thread::yield();
        stop = 1;
    });
    program.spin(&stop, &count);
    asker.join();
    EXPECT_EQ(served(), 0u);
}

TEST_F(Handler, KeepsErrno) {
    errno = EXDEV;
    play.switch_away = [] { errno = EDOM; };
    spin_until_served(1000);
    EXPECT_EQ(errno, EXDEV);
}

TEST_F(Handler, TellsARequesterThatTheThreadIsGone) {
    Target never;
    EXPECT_EQ(request(never, 1), Asked::gone);
    unregister_thread(target);
    EXPECT_EQ(request(target, 1), Asked::gone);
}

TEST_F(Handler, LooksAtEachTick) {
    ASSERT_TRUE(make(target.tick, Mark::tick));
    arm_each(target.tick, 50, 50);
    int looks = 0;
    play.may_switch = [&](std::uint32_t priority) {
        EXPECT_EQ(priority, 0u);
        stop = ++looks >= 20;
        return false;
    };
    program.spin(&stop, &count);
    EXPECT_GE(looks, 20);
    EXPECT_EQ(target.retry.armed, false) << "the next tick is the retry";
}

// A task that is preempted in its middle, and goes on; what runs in its place is preempted itself.
TEST_F(Handler, TheHookMayRunAnotherTaskOnAnotherStack) {
    OtherTask low, high; // two levels of preemption
    low.program = high.program = &program;
    int level = 0, rounds = 0;
    play.switch_away = [&] {
        const Stack below = play.stack;
        if (level == 2) { // the task of highest priority has run long enough
            high.stop = 1;
            return;
        }
        OtherTask& task = level == 0 ? low : high;
        task.stop = 0;
        ++level;
        play.stack = {task.stack.context.bottom(), task.stack.context.top()};
        task.own.start(task.stack.context, &OtherTask::run, &task, fiber::do_nothing());
        --level;
        play.stack = below;
        if (level == 1) low.stop = 1;
        else stop = ++rounds >= 200;
    };
    {
        const Asker asker(target);
        program.spin(&stop, &count);
    }
    EXPECT_GE(rounds, 200);
    EXPECT_GE(served(), 600u);
    EXPECT_EQ(level, 0);
}

} // namespace
} // namespace teff::preempt
