// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/nth_regions.h"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace teff::probe::trace {
namespace {

class NthRegionsTest : public testing::Test {
  protected:
    NthRegionsTest() { nth_regions::reset(); }
    ~NthRegionsTest() override { nth_regions::reset(); }
};

const void* body(std::uintptr_t number) { return reinterpret_cast<const void*>(0x400000 + 16 * number); }

int times_in(int regions, std::uintptr_t construct, std::uint32_t n) {
    int found = 0;
    for (int i = 0; i < regions; ++i)
        found += nth_regions::is_nth(body(construct), n);
    return found;
}

TEST_F(NthRegionsTest, EachConstructHasItsCount) {
    EXPECT_EQ(times_in(9, 1, 10), 0);
    EXPECT_EQ(times_in(25, 2, 10), 2);
    EXPECT_TRUE(nth_regions::is_nth(body(1), 10));
    EXPECT_EQ(times_in(5, 2, 10), 1);
    EXPECT_EQ(times_in(7, 3, 1), 7);
}

TEST_F(NthRegionsTest, ConstructsBeyondTheTableShareACount) {
    int found = 0;
    for (std::uintptr_t construct = 0; construct < 5000; ++construct)
        found += times_in(1, construct, 2);
    EXPECT_GE(found, (5000 - 1024) / 2); // each construct has one region, so only the shared count gets to 2
    EXPECT_LT(found, 5000 / 2);
}

TEST_F(NthRegionsTest, ThreadsCountTogether) {
    std::vector<std::thread> threads;
    std::vector<int> found(4);
    for (int& one : found)
        threads.emplace_back([&one] { one = times_in(1000, 7, 8); });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(found[0] + found[1] + found[2] + found[3], 500);
}

TEST_F(NthRegionsTest, TotalsAreResetAlone) {
    EXPECT_EQ(times_in(1, 1, 2), 0);
    nth_regions::add_to_totals(false);
    nth_regions::add_to_totals(true);
    EXPECT_EQ(nth_regions::totals().met, 2u);
    EXPECT_EQ(nth_regions::totals().recorded, 1u);
    nth_regions::reset_totals();
    EXPECT_EQ(nth_regions::totals().met, 0u);
    EXPECT_TRUE(nth_regions::is_nth(body(1), 2));
}

} // namespace
} // namespace teff::probe::trace
