// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>

#include "fiber/context.h"
#include "fiber/test_stack.h"

// void teff_test_fill_and_call(void (*function)(void*), void* argument, std::uint64_t
// registers[18]): sets x19 to x28 and d8 to d15, calls the function, and stores the registers'
// values afterwards.
asm(R"(
        .text
        .type   teff_test_fill_and_call, %function
teff_test_fill_and_call:
        sub     sp, sp, #176
        stp     x29, x30, [sp]
        stp     x19, x20, [sp, #16]
        stp     x21, x22, [sp, #32]
        stp     x23, x24, [sp, #48]
        stp     x25, x26, [sp, #64]
        stp     x27, x28, [sp, #80]
        stp     d8, d9, [sp, #96]
        stp     d10, d11, [sp, #112]
        stp     d12, d13, [sp, #128]
        stp     d14, d15, [sp, #144]
        str     x2, [sp, #160]
        ldp     x19, x20, [x2]
        ldp     x21, x22, [x2, #16]
        ldp     x23, x24, [x2, #32]
        ldp     x25, x26, [x2, #48]
        ldp     x27, x28, [x2, #64]
        ldp     d8, d9, [x2, #80]
        ldp     d10, d11, [x2, #96]
        ldp     d12, d13, [x2, #112]
        ldp     d14, d15, [x2, #128]
        mov     x9, x0
        mov     x0, x1
        blr     x9
        ldr     x2, [sp, #160]
        stp     x19, x20, [x2]
        stp     x21, x22, [x2, #16]
        stp     x23, x24, [x2, #32]
        stp     x25, x26, [x2, #48]
        stp     x27, x28, [x2, #64]
        stp     d8, d9, [x2, #80]
        stp     d10, d11, [x2, #96]
        stp     d12, d13, [x2, #112]
        stp     d14, d15, [x2, #128]
        ldp     x29, x30, [sp]
        ldp     x19, x20, [sp, #16]
        ldp     x21, x22, [sp, #32]
        ldp     x23, x24, [sp, #48]
        ldp     x25, x26, [sp, #64]
        ldp     x27, x28, [sp, #80]
        ldp     d8, d9, [sp, #96]
        ldp     d10, d11, [sp, #112]
        ldp     d12, d13, [sp, #128]
        ldp     d14, d15, [sp, #144]
        add     sp, sp, #176
        ret
        .size   teff_test_fill_and_call, . - teff_test_fill_and_call
)");
extern "C" void teff_test_fill_and_call(void (*function)(void*), void* argument, std::uint64_t* registers);

namespace teff::fiber {
namespace {

using Registers = std::array<std::uint64_t, 18>;

Registers numbered_from(std::uint64_t first) {
    Registers registers;
    std::iota(registers.begin(), registers.end(), first);
    return registers;
}

struct Two {
    Context own;
    TestStack other;
    Registers here = numbered_from(1), there = numbered_from(101);
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
    EXPECT_EQ(two.here, numbered_from(1));
    EXPECT_EQ(two.there, numbered_from(101));
}

} // namespace
} // namespace teff::fiber
