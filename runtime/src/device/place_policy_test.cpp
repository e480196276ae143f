// SPDX-License-Identifier: Apache-2.0
#include "device/place_policy.h"

#include <gtest/gtest.h>
#include <vector>

#include "device/unfinished_writes.h"

namespace teff::device {
namespace {

using Views = std::vector<DeviceView>;

constexpr DeviceView kNothing = {false, true, 0}; // no device has data of the region

unsigned choose(const PlacePolicy& policy, const Views& views, unsigned default_device = 0) {
    return policy.choose(views.data(), static_cast<unsigned>(views.size()), default_device);
}

TEST(PlaceByLocality, GoesWhereTheDataAre) {
    EXPECT_EQ(choose(place_by_locality, {{false, false, 0}, {false, false, 0}, {true, true, 9}}), 2u);
    EXPECT_EQ(choose(place_by_locality, {{true, true, 4}, {true, true, 3}, {true, false, 0}}), 1u);
}
TEST(PlaceByLocality, GoesToTheLeastLoadedOfEquals) {
    EXPECT_EQ(choose(place_by_locality, {{false, true, 2}, {false, true, 1}, {false, true, 1}}), 1u);
    EXPECT_EQ(choose(place_by_locality, {kNothing, kNothing, kNothing}, 2), 2u) << "the default device first";
}
TEST(PlaceByLocality, GoesToTheDefaultDeviceIfTheDataAreInSeveralPlaces) {
    EXPECT_EQ(choose(place_by_locality, {{true, false, 0}, {true, false, 9}}, 1), 1u);
}

TEST(PlaceInTurn, TakesOneDeviceAfterAnother) {
    const unsigned first = choose(place_in_turn, {kNothing, kNothing, kNothing});
    for (unsigned i = 1; i < 7; ++i)
        EXPECT_EQ(choose(place_in_turn, {kNothing, kNothing, kNothing}), (first + i) % 3);
}
TEST(PlaceInTurn, MapsDataAnewThatOnlyOthersHave) {
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(choose(place_in_turn, {{false, false, 0}, {true, true, 0}, {true, true, 0}}), 0u);
        EXPECT_EQ(choose(place_in_turn, {{true, true, 0}, kNothing, kNothing}), 0u) << "the default device's own";
    }
}

TEST(UnfinishedWrites, SaysWhereAPartIsWritten) {
    UnfinishedWrites writes;
    writes.add({100, 10}, 1);
    writes.add({200, 10}, 2);
    EXPECT_EQ(writes.device_of({109, 5}), 1);
    EXPECT_EQ(writes.device_of({110, 90}), UnfinishedWrites::kNone);
    EXPECT_EQ(writes.device_of({0, 201}), 1) << "the first of several";
    writes.remove({100, 10});
    EXPECT_EQ(writes.device_of({0, 201}), 2);
    writes.remove({200, 10});
    EXPECT_TRUE(writes.empty());
}
TEST(UnfinishedWrites, KeepsWhatOverlapsUntilAllHaveEnded) {
    UnfinishedWrites writes;
    writes.add({100, 10}, 1);
    writes.add({120, 10}, 1);
    writes.add({105, 20}, 1);
    writes.remove({100, 10});
    writes.remove({120, 10});
    EXPECT_EQ(writes.device_of({128, 1}), 1);
    writes.remove({105, 20});
    EXPECT_TRUE(writes.empty());
}

} // namespace
} // namespace teff::device
