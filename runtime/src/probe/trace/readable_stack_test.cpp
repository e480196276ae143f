// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/readable_stack.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace teff::probe::trace {
namespace {

constexpr std::uintptr_t kPage = 4096, kWord = sizeof(void*);

// Four pages of stack with guard pages above and below.
class ReadableStackTest : public testing::Test {
  protected:
    ReadableStackTest() {
        void* const memory = mmap(nullptr, 6 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        begin_ = reinterpret_cast<std::uintptr_t>(memory) + kPage;
        mprotect(reinterpret_cast<void*>(begin_), 4 * kPage, PROT_READ | PROT_WRITE);
        end_ = begin_ + 4 * kPage;
    }
    ~ReadableStackTest() override { munmap(reinterpret_cast<void*>(begin_ - kPage), 6 * kPage); }

    std::uintptr_t begin_, end_;
    ReadableStack stack_{};
};

TEST_F(ReadableStackTest, EndsAtAGuardPage) {
    stack_.begin(end_ - 64);
    EXPECT_TRUE(stack_.can_read(end_ - 64, end_ - kWord));
    EXPECT_FALSE(stack_.can_read(end_ - 64, end_));
    EXPECT_FALSE(stack_.can_read(end_ - 64, end_ + 2 * kPage)) << "whatever lies behind it";
    EXPECT_TRUE(stack_.can_read(end_ - 64, end_ - kWord)) << "what was known stays known";
}

TEST_F(ReadableStackTest, AnInterruptedStackPointerMayPointAnywhere) {
    stack_.begin_interrupted(end_ + 64);
    EXPECT_FALSE(stack_.can_read(end_ + 64, end_ + 64));
    stack_.begin_interrupted(~std::uintptr_t{15});
    EXPECT_FALSE(stack_.can_read(~std::uintptr_t{15}, ~std::uintptr_t{15}));
    stack_.begin_interrupted(begin_ + 64);
    EXPECT_TRUE(stack_.can_read(begin_ + 64, begin_ + 64));
}

TEST_F(ReadableStackTest, ReachesFromTheStackPointerUpwards) {
    stack_.begin(begin_ + 64);
    EXPECT_TRUE(stack_.can_read(begin_ + 64, end_ - 32));
    EXPECT_TRUE(stack_.can_read(begin_ + 64, begin_ + 64));
    EXPECT_FALSE(stack_.can_read(begin_ + 64, begin_ + 56)) << "below the stack pointer";
}

TEST_F(ReadableStackTest, AnotherWalkLooksAnew) {
    const std::uintptr_t own = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) & ~(kWord - 1);
    for (int i = 0; i < 3; ++i) {
        stack_.begin(own);
        EXPECT_TRUE(stack_.can_read(own, own + 256));
        stack_.begin(begin_);
        EXPECT_TRUE(stack_.can_read(begin_, begin_ + kPage));
        EXPECT_FALSE(stack_.can_read(begin_, end_));
    }
}

// A program gives the upper part of a stack back, and uses the rest as another one.
TEST_F(ReadableStackTest, WhatIsGivenBackIsNotReadInTheNextWalk) {
    stack_.begin(begin_);
    EXPECT_TRUE(stack_.can_read(begin_, end_ - kWord));
    mprotect(reinterpret_cast<void*>(end_ - kPage), kPage, PROT_NONE);
    stack_.begin(begin_);
    EXPECT_TRUE(stack_.can_read(begin_, end_ - kPage - kWord));
    EXPECT_FALSE(stack_.can_read(begin_, end_ - kPage));
}

TEST_F(ReadableStackTest, NoFrameIsLargerThanAMebibyte) {
    const std::uintptr_t own = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) & ~(kWord - 1);
    stack_.begin(own);
    EXPECT_FALSE(stack_.can_read(own, own + (2 << 20)));
}

} // namespace
} // namespace teff::probe::trace
