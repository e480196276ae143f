// SPDX-License-Identifier: Apache-2.0
#include "preempt/kernel_source.h"

#include <cerrno>

#include "base/arch/arch.h"
#include "preempt/fake_module.h"
#include "preempt/handler.h"
#include "preempt/interpose_signals.h"
#include "preempt/preempted_program.h"

namespace teff::preempt {
namespace {

constexpr std::uint32_t kDefaultModes = 0x1f80, kRoundsUp = 0x5f80;

std::uint32_t float_modes() {
    std::uint32_t modes;
    asm volatile("stmxcsr %0" : "=m"(modes));
    return modes;
}

class Ticks : public PreemptedProgram {
  protected:
    volatile int stop = 0;
    volatile std::uint64_t count = 0;

    // As if one had entered in the middle of preemptible code.
    void tick(std::uint32_t mxcsr = kDefaultModes) {
        on_tick({reinterpret_cast<const void*>(program.spin), __builtin_frame_address(0)}, {mxcsr, 0x37f});
    }
};

TEST_F(Ticks, ServeWhatWasAskedFor) {
    std::uint32_t asked = 0;
    play.may_switch = [&](std::uint32_t priority) {
        asked = priority;
        return true;
    };
    ASSERT_EQ(target.word.ask(7), Ask::signal);
    tick();
    EXPECT_EQ(asked, 7u);
    EXPECT_EQ(served(), 1u);
    EXPECT_EQ(target.word.asked(), 0u);
}

TEST_F(Ticks, DoNothingWhereNothingIsAskedFor) {
    play.may_switch = [&](std::uint32_t) {
        ADD_FAILURE();
        return false;
    };
    tick();
    EXPECT_EQ(target.looks.load(), 0u);
}

TEST_F(Ticks, LetWhatTakesThePlaceBeginWithTheProgramsModes) {
    std::uint32_t inside = 0;
    play.switch_away = [&] { inside = float_modes(); };
    (void)target.word.ask(1);
    tick(kRoundsUp);
    base::arch::set_float_modes({kDefaultModes, 0x37f});
    EXPECT_EQ(inside, kRoundsUp);
}

TEST_F(Ticks, LeaveCodeThatIsNotPreemptibleAlone) {
    (void)target.word.ask(1);
    on_tick({reinterpret_cast<const void*>(&float_modes), __builtin_frame_address(0)}, {kDefaultModes, 0x37f});
    EXPECT_EQ(served(), 0u);
    EXPECT_GE(refused(Refusal::code), 1u) << "the timer may have come, too";
    EXPECT_EQ(target.word.asked(), 1u) << "it is put off";
    EXPECT_TRUE(target.retry.armed);
}

TEST_F(Ticks, LeaveAStackWithoutRoomAlone) {
    play.stack = {nullptr, nullptr};
    (void)target.word.ask(1);
    tick();
    EXPECT_GE(refused(Refusal::stack), 1u);
    EXPECT_EQ(target.word.asked(), 1u);
}

TEST_F(Ticks, LeaveAHandlerOfTheProgramsAlone) {
    ASSERT_TRUE(block_own_signal()); // as it is in one
    (void)target.word.ask(1);
    tick();
    EXPECT_EQ(served(), 0u);
    EXPECT_EQ(target.word.asked(), 1u);
    EXPECT_TRUE(target.retry.armed) << "the module cannot see it, so the timer asks again";
    drop_request(target);
    unblock_own_signal();
}

TEST_F(Ticks, DoNothingOnAThreadThatIsNotRegistered) {
    (void)target.word.ask(1);
    std::thread([this] { tick(); }).join();
    EXPECT_EQ(target.looks.load(), 0u);
    EXPECT_EQ(served(), 0u);
}

TEST_F(Ticks, KeepErrno) {
    errno = EXDEV;
    play.switch_away = [&] {
        errno = EDOM;
        stop = served() >= 100;
    };
    const FakeModule module(target, 50);
    program.spin(&stop, &count);
    EXPECT_EQ(errno, EXDEV);
}

// A task that a tick has interrupted in its middle, and one that runs in its place and is
// interrupted as well.
TEST_F(Ticks, MayLeaveForAnotherStack) {
    OtherTask other;
    other.program = &program;
    bool is_inside = false;
    int rounds = 0;
    play.switch_away = [&] {
        if (is_inside) {
            other.stop = 1;
            return;
        }
        const Stack below = play.stack;
        other.stop = 0;
        is_inside = true;
        play.stack = {other.stack.context.bottom(), other.stack.context.top()};
        other.own.start(other.stack.context, &OtherTask::run, &other, fiber::do_nothing());
        is_inside = false;
        play.stack = below;
        stop = ++rounds >= 100;
    };
    const FakeModule module(target, 50);
    program.spin(&stop, &count);
    EXPECT_GE(rounds, 100);
    EXPECT_GE(served(), 200u);
}

TEST(KernelSource, SaysWhyThereIsNoSlot) {
    if (access(TEFF_PREEMPT_DEVICE, F_OK) == 0) GTEST_SKIP() << "this machine has the module";
    Target target;
    errno = EXDEV;
    const int result = bind_to_module(target);
    EXPECT_EQ(result, -ENOENT);
    EXPECT_EQ(errno, EXDEV);
    EXPECT_NE(std::string(explain_module_error(result)).find(TEFF_PREEMPT_DEVICE), std::string::npos);
    EXPECT_FALSE(start_module_ticks(target, 1)) << "a signal is needed";
    stop_module_ticks(target);
    unbind_from_module(target);
}

} // namespace
} // namespace teff::preempt
