// SPDX-License-Identifier: Apache-2.0
#include "mem/allocation_set.h"

#include <cstdint>
#include <set>
#include <thread>

#include <gtest/gtest.h>

namespace teff::mem {
namespace {

void* address(std::uintptr_t number) { return reinterpret_cast<void*>(16 * number); }

TEST(AllocationSet, WhatWasRememberedIsForgottenOnce) {
    EXPECT_FALSE(forget_allocation(address(1)));
    remember_allocation(address(1));
    EXPECT_TRUE(forget_allocation(address(1)));
    EXPECT_FALSE(forget_allocation(address(1)));
}

TEST(AllocationSet, NullIsNoAllocation) {
    remember_allocation(nullptr);
    EXPECT_FALSE(forget_allocation(nullptr));
}

TEST(AllocationSet, AgreesWithAnOrdinarySet) {
    std::set<void*> expected;
    std::uint64_t random = 1;
    for (int i = 0; i < 200'000; ++i) {
        random = random * 6364136223846793005ull + 1442695040888963407ull;
        void* const memory = address(1 + (random >> 33) % 3'000);
        if ((random >> 20) % 2 == 0 && expected.insert(memory).second) remember_allocation(memory);
        else ASSERT_EQ(forget_allocation(memory), expected.erase(memory) != 0);
    }
    for (void* memory : expected)
        EXPECT_TRUE(forget_allocation(memory));
}

TEST(AllocationSet, ThreadsDoNotDisturbEachOther) {
    const auto work = [](std::uintptr_t base) {
        for (int round = 0; round < 20; ++round) {
            for (std::uintptr_t i = 1; i <= 500; ++i)
                remember_allocation(address(base + i));
            for (std::uintptr_t i = 1; i <= 500; ++i)
                EXPECT_TRUE(forget_allocation(address(base + i)));
        }
    };
    std::thread other(work, 1'000'000);
    work(2'000'000);
    other.join();
}

} // namespace
} // namespace teff::mem
