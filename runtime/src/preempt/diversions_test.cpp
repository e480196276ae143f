// SPDX-License-Identifier: Apache-2.0
#include "preempt/diversions.h"

#include <string>

#include "base/call_site.h"
#include "preempt/libraries.h"
#include "preempt/preempted_program.h"

namespace teff::preempt {
namespace {

class Diversions : public PreemptedProgram {};

// The thread spends nearly all of its time in libraries. It is never left by chance: a retry of the
// timer would have to find it in its own code.
TEST_F(Diversions, AThreadIsLeftOnItsWayOutOfALibrary) {
    for (unsigned which = 0; which < std::size(program.call_libraries); ++which) {
        SCOPED_TRACE(program.library_names[which]);
        volatile int stop = 0;
        volatile std::uint64_t count = 0;
        const std::uint64_t before = served();
        play.switch_away = [&] { stop = served() >= before + 300; };
        const Asker asker(target);
        EXPECT_EQ(program.call_libraries[which](&stop, &count), 0u);
        EXPECT_GE(served(), before + 300);
    }
}

// What runs in the place of the interrupted code uses the same libraries.
TEST_F(Diversions, AnotherTaskMayCallTheSameLibrary) {
    for (unsigned which = 0; which < std::size(program.call_libraries); ++which) {
        SCOPED_TRACE(program.library_names[which]);
        volatile int stop = 0;
        volatile std::uint64_t count = 0, inner_count = 0;
        std::uint64_t wrong = 0, times = 0;
        play.may_switch = [&](std::uint32_t) { return detail::own.held.load() == 0; };
        play.switch_away = [&] {
            volatile int once = 1;
            hold();
            wrong += program.call_libraries[which](&once, &inner_count);
            release(nullptr);
            stop = ++times >= 100;
        };
        const Asker asker(target);
        EXPECT_EQ(program.call_libraries[which](&stop, &count), 0u);
        EXPECT_EQ(wrong, 0u);
    }
}

TEST(WayBack, LeadsFromNoUnknownCode) {
    const std::uintptr_t words[4] = {};
    const auto stack = reinterpret_cast<std::uintptr_t>(words);
    EXPECT_FALSE(way_back({.instruction = 16, .stack_pointer = stack, .frame_pointer = stack}, words + 4));
    EXPECT_FALSE(way_back({.instruction = stack, .stack_pointer = stack, .frame_pointer = 0}, words + 4));
    EXPECT_FALSE(way_back({.instruction = stack, .stack_pointer = stack, .frame_pointer = 0}, words)); // empty stack
}

TEST_F(Diversions, TheSiteOfADivertedCallStaysKnown) {
    if (!prepare_diversions()) GTEST_SKIP() << "the processor's state cannot be saved";
    std::uintptr_t slots[40] = {};
    const void* const back = &slots;
    slots[0] = reinterpret_cast<std::uintptr_t>(back);
    ASSERT_TRUE(divert(&slots[0], nullptr, nullptr));
    EXPECT_NE(slots[0], reinterpret_cast<std::uintptr_t>(back));
    EXPECT_EQ(base::CallSite::of_call(nullptr, &slots[1]).code(), back);
    ASSERT_TRUE(divert(&slots[0], nullptr, nullptr)); // it is diverted already
    EXPECT_EQ(base::CallSite::of_call(nullptr, &slots[1]).code(), back);
}

TEST_F(Diversions, NotesOfFramesThatAreGoneAreUsedAgain) {
    if (!prepare_diversions()) GTEST_SKIP() << "the processor's state cannot be saved";
    std::uintptr_t slots[100] = {};
    unsigned diverted = 0;
    while (diverted < std::size(slots) && divert(&slots[diverted], nullptr, nullptr))
        ++diverted;
    EXPECT_LT(diverted, std::size(slots)); // too many
    EXPECT_GE(diverted, 8u);
    EXPECT_EQ(slots[diverted], 0u);
    EXPECT_TRUE(divert(&slots[diverted], &slots[0], &slots[diverted])); // the stack has shrunk beyond all of them
}

} // namespace
} // namespace teff::preempt
