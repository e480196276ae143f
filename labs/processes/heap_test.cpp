// SPDX-License-Identifier: Apache-2.0
#include "processes/heap.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "processes/layout.h"
#include "processes/memory.h"

namespace teff::processes::heap {
namespace {

constexpr unsigned kProcesses = 2;

// The test process takes the role of each process in turn; the range is reserved once.
class HeapTest : public testing::Test {
  protected:
    static void SetUpTestSuite() { memory::reserve(kProcesses); }
    void SetUp() override { become(0, kProcesses); }
};

TEST_F(HeapTest, ABlockIsAlignedAndAsLargeAsAsked) {
    for (std::size_t bytes = 1; bytes < 100'000; bytes = bytes * 5 / 4 + 1) {
        void* const block = allocate(bytes);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 16, 0u);
        EXPECT_GE(usable(block), bytes);
        EXPECT_LE(usable(block), bytes + bytes / 4 + 64) << bytes;
        std::memset(block, 1, bytes);
        release(block);
    }
}

TEST_F(HeapTest, BlocksDoNotOverlap) {
    std::mt19937 random(5);
    std::vector<std::pair<unsigned char*, std::size_t>> blocks;
    for (unsigned round = 0; round < 20'000; ++round) {
        if (blocks.size() > 500) {
            const std::size_t at = random() % blocks.size();
            const auto [block, bytes] = blocks[at];
            for (std::size_t i = 0; i < bytes; ++i)
                ASSERT_EQ(block[i], static_cast<unsigned char>(reinterpret_cast<std::uintptr_t>(block) >> 4));
            release(block);
            blocks[at] = blocks.back();
            blocks.pop_back();
        }
        const std::size_t bytes = random() % 700 + 1;
        auto* const block = static_cast<unsigned char*>(allocate(bytes));
        std::memset(block, static_cast<int>(reinterpret_cast<std::uintptr_t>(block) >> 4 & 255), bytes);
        blocks.emplace_back(block, bytes);
    }
    for (const auto& [block, bytes] : blocks)
        release(block);
}

TEST_F(HeapTest, AFreedBlockIsGivenAgain) {
    void* const block = allocate(5000);
    release(block);
    EXPECT_EQ(allocate(5000), block);
    release(block);
}

TEST_F(HeapTest, ZeroedMeansZeroedAlsoTheSecondTime) {
    auto* const block = static_cast<unsigned char*>(allocate(3000));
    std::memset(block, 255, 3000);
    release(block);
    auto* const again = static_cast<unsigned char*>(allocate_zeroed(3000));
    ASSERT_EQ(again, block);
    for (unsigned i = 0; i < 3000; ++i)
        ASSERT_EQ(again[i], 0);
    release(again);
}

TEST_F(HeapTest, Alignments) {
    for (std::size_t alignment = 16; alignment <= 1 << 20; alignment *= 2) {
        void* const block = allocate_aligned(alignment, 100);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0u);
        EXPECT_GE(usable(block), 100u);
        release(block);
    }
}

TEST_F(HeapTest, ResizingKeepsTheContent) {
    auto* block = static_cast<unsigned char*>(allocate(10));
    std::memset(block, 7, 10);
    for (std::size_t bytes : {1000u, 100'000u, 20u}) {
        block = static_cast<unsigned char*>(resize(block, bytes));
        for (unsigned i = 0; i < 10; ++i)
            ASSERT_EQ(block[i], 7);
    }
    release(block);
}

TEST_F(HeapTest, WhatAnotherProcessFreesGoesBackToItsOwner) {
    void* const block = allocate(64);
    become(1, kProcesses);
    EXPECT_NE(owner(reinterpret_cast<std::uint64_t>(allocate(64))), 0u);
    release(block);
    ASSERT_EQ(freed_of_others().blocks.size(), 1u);
    EXPECT_EQ(freed_of_others().blocks[0], reinterpret_cast<std::uint64_t>(block));
    EXPECT_EQ(owner(freed_of_others().blocks[0]), 0u);
    freed_of_others().clear();
}

TEST_F(HeapTest, TooMuchIsNoBlock) {
    EXPECT_EQ(allocate(kArenaSpan), nullptr);
    EXPECT_EQ(allocate_aligned(kArenaSpan, 16), nullptr);
}

TEST_F(HeapTest, FreeingTwiceIsNamed) {
    void* const block = allocate(40);
    release(block);
    EXPECT_EXIT(release(block), testing::ExitedWithCode(70), "was freed before");
}

} // namespace
} // namespace teff::processes::heap
