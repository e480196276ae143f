// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/object_loads.h"

#include <gtest/gtest.h>
#include <memory>

namespace teff::probe::trace {
namespace {

constexpr std::uintptr_t kDistance = 4096;

TEST(ObjectLoads, KnowsTheLastLoadAtEachBias) {
    const auto loads = std::make_unique<ObjectLoads>();
    EXPECT_EQ(loads->last_load(0), ObjectLoads::kUnknown);
    EXPECT_EQ(loads->last_load(kDistance), ObjectLoads::kUnknown);
    loads->note(0, 10);
    loads->note(kDistance, 20);
    loads->note(kDistance, 30);
    EXPECT_EQ(loads->last_load(0), 10u);
    EXPECT_EQ(loads->last_load(kDistance), 30u);
    EXPECT_EQ(loads->last_load(2 * kDistance), ObjectLoads::kUnknown);
    EXPECT_EQ(loads->number(), 3u);
}

TEST(ObjectLoads, FurtherLoadsOfAFullTableAreUnknown) {
    const auto loads = std::make_unique<ObjectLoads>();
    for (std::uintptr_t i = 1; i <= ObjectLoads::kMost + 1; ++i)
        loads->note(i * kDistance, i);
    for (std::uintptr_t i = 1; i <= ObjectLoads::kMost; ++i)
        ASSERT_EQ(loads->last_load(i * kDistance), i);
    EXPECT_EQ(loads->last_load((ObjectLoads::kMost + 1) * kDistance), ObjectLoads::kUnknown);
    EXPECT_EQ(loads->number(), ObjectLoads::kMost + 1);
    loads->note(kDistance, 5000);
    EXPECT_EQ(loads->last_load(kDistance), 5000u);
}

} // namespace
} // namespace teff::probe::trace
