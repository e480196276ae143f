// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <gtest/gtest.h>

#include "fiber/context.h"
#include "fiber/test_stack.h"

// void teff_test_fill_and_call(void (*function)(void*), void* argument, std::uint64_t
// registers[6]): sets the registers that a callee preserves, calls the function, and stores the
// registers' values afterwards.
asm(R"(
        .text
        .type   teff_test_fill_and_call, @function
teff_test_fill_and_call:
        pushq   %rbx
        pushq   %rbp
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        pushq   %rdx
        movq    %rdi, %rax
        movq    %rsi, %rdi
        movq    (%rdx), %rbx
        movq    8(%rdx), %rbp
        movq    16(%rdx), %r12
        movq    24(%rdx), %r13
        movq    32(%rdx), %r14
        movq    40(%rdx), %r15
        callq   *%rax
        popq    %rdx
        movq    %rbx, (%rdx)
        movq    %rbp, 8(%rdx)
        movq    %r12, 16(%rdx)
        movq    %r13, 24(%rdx)
        movq    %r14, 32(%rdx)
        movq    %r15, 40(%rdx)
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbp
        popq    %rbx
        ret
        .size   teff_test_fill_and_call, . - teff_test_fill_and_call
)");
extern "C" void teff_test_fill_and_call(void (*function)(void*), void* argument, std::uint64_t* registers);

namespace teff::fiber {
namespace {

using Registers = std::array<std::uint64_t, 6>;

struct Two {
    Context own;
    TestStack other;
    Registers here{1, 2, 3, 4, 5, 6}, there{11, 12, 13, 14, 15, 16};
};

TEST(Registers, ThatACalleePreservesAreKept) {
    Two two;
    const auto inside = [](void* argument) {
        auto& both = *static_cast<Two*>(argument);
        const auto go_back = [](void* to) {
            static_cast<Two*>(to)->other.context.switch_to(static_cast<Two*>(to)->own, do_nothing());
        };
        teff_test_fill_and_call(go_back, argument, both.there.data());
        both.other.context.leave_for(both.own, do_nothing());
    };
    two.own.start(two.other.context, inside, &two, do_nothing());
    const auto go_on = [](void* to) {
        static_cast<Two*>(to)->own.switch_to(static_cast<Two*>(to)->other.context, do_nothing());
    };
    teff_test_fill_and_call(go_on, &two, two.here.data());
    EXPECT_EQ(two.here, (Registers{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(two.there, (Registers{11, 12, 13, 14, 15, 16}));
}

std::uint16_t x87_control() {
    std::uint16_t word;
    asm volatile("fnstcw %0" : "=m"(word));
    return word;
}
void set_x87_control(std::uint16_t word) { asm volatile("fldcw %0" : : "m"(word)); }
std::uint32_t mxcsr() { return __builtin_ia32_stmxcsr(); }
void set_mxcsr(std::uint32_t word) { __builtin_ia32_ldmxcsr(word); }

TEST(Registers, ControlWordsAreKept) {
    constexpr std::uint16_t kExtended = 0x37f, kDouble = 0x27f;
    constexpr std::uint32_t kUsual = 0x1f80, kFlushToZero = 0x9f80;
    static std::uint16_t x87_there;
    static std::uint32_t mxcsr_there;
    Two two;
    const auto inside = [](void* argument) {
        auto& both = *static_cast<Two*>(argument);
        set_x87_control(kDouble);
        set_mxcsr(kFlushToZero);
        both.other.context.switch_to(both.own, do_nothing());
        x87_there = x87_control();
        mxcsr_there = mxcsr();
        both.other.context.leave_for(both.own, do_nothing());
    };
    set_mxcsr(kUsual);
    two.own.start(two.other.context, inside, &two, do_nothing());
    EXPECT_EQ(x87_control(), kExtended);
    EXPECT_EQ(mxcsr(), kUsual);
    two.own.switch_to(two.other.context, do_nothing());
    EXPECT_EQ(x87_there, kDouble);
    EXPECT_EQ(mxcsr_there, kFlushToZero);
    EXPECT_EQ(x87_control(), kExtended);
}

} // namespace
} // namespace teff::fiber
