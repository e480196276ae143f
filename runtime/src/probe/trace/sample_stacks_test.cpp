// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/sample_stacks.h"

#include <algorithm>
#include <csignal>
#include <gtest/gtest.h>
#include <vector>

#include "base/arch/arch.h"

namespace teff::probe::trace {
namespace {

SampleStacks* stacks = nullptr;
std::uintptr_t interrupted = 0;
const void* outer_call = nullptr;

void take(int, siginfo_t*, void* context) {
    interrupted = reinterpret_cast<std::uintptr_t>(base::arch::interrupted_instruction(context));
    stacks->take(context);
}

[[gnu::noinline]] void inner() {
    raise(SIGUSR1);
    asm volatile("" ::: "memory");
}

[[gnu::noinline]] void outer() {
    outer_call = __builtin_return_address(0);
    inner();
    asm volatile("" ::: "memory");
}

class SampleStacksTest : public testing::Test {
  protected:
    void SetUp() override {
        prepare_to_find_modules();
        if (!finds_modules_without_lock()) GTEST_SKIP() << "objects cannot be found without a lock";
        stacks = SampleStacks::make();
        ASSERT_NE(stacks, nullptr);
        stacks->take_for_own(0, 0); // the library is a part of this program
        struct sigaction action{};
        action.sa_sigaction = &take;
        action.sa_flags = SA_SIGINFO;
        ASSERT_EQ(sigaction(SIGUSR1, &action, &before_), 0);
    }
    void TearDown() override {
        SampleStacks::unmake(stacks);
        sigaction(SIGUSR1, &before_, nullptr);
    }

    static std::vector<std::uint64_t> frames(const SampleStacks::Stack& stack) {
        std::vector<std::uint64_t> found;
        for (std::uint32_t i = 0; i < stack.frames; ++i)
            found.push_back(SampleStacks::word(stack, i));
        return found;
    }
    static bool has_outer(const SampleStacks::Stack& stack) {
        const auto found = frames(stack);
        return std::count(found.begin(), found.end(), reinterpret_cast<std::uintptr_t>(outer_call)) == 1;
    }

    struct sigaction before_{};
};

TEST_F(SampleStacksTest, HasTheCallsAboveTheInterruptedInstruction) {
    const base::Ticks now = base::ticks();
    outer();
    const SampleStacks::Stack* const stack = stacks->match(now, interrupted);
    ASSERT_NE(stack, nullptr);
    EXPECT_TRUE(has_outer(*stack));
    EXPECT_EQ(stack->python, 0);
    EXPECT_EQ(stacks->match(now, interrupted), nullptr) << "each belongs to one sample";
}

TEST_F(SampleStacksTest, FindsTheStackOfEachSample) {
    const base::Ticks first = base::ticks();
    inner();
    while (base::ticks() - first < 10'000'000)
        ;
    const base::Ticks second = base::ticks();
    outer();
    const SampleStacks::Stack* const stack = stacks->match(second, interrupted);
    ASSERT_NE(stack, nullptr) << "the first one is passed over";
    EXPECT_TRUE(has_outer(*stack));
}

TEST_F(SampleStacksTest, GivesNoneOfAnotherInstructionOrTime) {
    const base::Ticks now = base::ticks();
    inner();
    EXPECT_EQ(stacks->match(now, interrupted + 1), nullptr);
    EXPECT_EQ(stacks->match(now - 1'000'000'000, interrupted), nullptr) << "taken long after the sample";
    EXPECT_NE(stacks->match(now, interrupted), nullptr);
}

TEST_F(SampleStacksTest, NumbersEqualStacksOnce) {
    std::vector<std::uint32_t> numbers, news;
    for (int i = 0; i < 3; ++i) {
        const base::Ticks now = base::ticks();
        inner();
        const SampleStacks::Stack* const stack = stacks->match(now, interrupted);
        ASSERT_NE(stack, nullptr);
        const SampleStacks::Number number = stacks->number(*stack);
        numbers.push_back(number.id);
        if (number.is_new) news.push_back(number.id);
    }
    EXPECT_EQ(numbers, std::vector<std::uint32_t>(3, numbers[0]));
    EXPECT_EQ(news.size(), 1u);
    stacks->forget_what_is_written();
    const base::Ticks now = base::ticks();
    inner();
    EXPECT_TRUE(stacks->number(*stacks->match(now, interrupted)).is_new);
}

TEST_F(SampleStacksTest, KeepsWhatFitsUntilItIsCleared) {
    for (int i = 0; i < 100'000; ++i)
        inner();
    const base::Ticks now = base::ticks();
    inner();
    EXPECT_EQ(stacks->match(now, interrupted), nullptr);
    stacks->clear();
    const base::Ticks later = base::ticks();
    inner();
    EXPECT_NE(stacks->match(later, interrupted), nullptr);
}

} // namespace
} // namespace teff::probe::trace
