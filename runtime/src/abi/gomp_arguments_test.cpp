// SPDX-License-Identifier: Apache-2.0
#include "abi/gomp_arguments.h"

#include <gtest/gtest.h>

namespace teff::abi {
namespace {

TEST(GompArguments, AnEventsHandleStandsFirst) {
    const task::EventHandle handle{0x1234567890};
    std::uintptr_t event = 0, data[2] = {1, 2};
    store_event(handle, &event, data);
    EXPECT_EQ(event, 0x1234567890u);
    EXPECT_EQ(data[0], 0x1234567890u);
    EXPECT_EQ(data[1], 2u);
    event = 0;
    store_event(handle, &event, nullptr);
    EXPECT_EQ(event, 0x1234567890u);
}

TEST(GompArguments, ATaskloopsBoundsStandFirst) {
    std::int64_t data[3] = {1, 2, 3};
    place_bounds(data, {.first_iteration = 5,
                        .iterations = 2,
                        .all = 2,
                        .first = static_cast<std::uint64_t>(-10),
                        .end = static_cast<std::uint64_t>(-14),
                        .place = place_bounds});
    EXPECT_EQ(data[0], -10);
    EXPECT_EQ(data[1], -14);
    EXPECT_EQ(data[2], 3);
}

TEST(GompArguments, ReductionBlocksAreFoundBehindTheBounds) {
    std::uintptr_t blocks[8] = {};
    void* taskloop[3] = {nullptr, nullptr, blocks};
    void* parallel[1] = {blocks};
    EXPECT_EQ(taskloop_reductions(taskloop), blocks);
    EXPECT_EQ(parallel_reductions(parallel), blocks);
}

} // namespace
} // namespace teff::abi
