// SPDX-License-Identifier: Apache-2.0
#include "icv/variant.h"

#include <gtest/gtest.h>

namespace teff::icv {
namespace {

void expect_variant(std::string_view name, std::string_view base, Variant variant) {
    const auto found = split_variant(name);
    ASSERT_TRUE(found.has_value()) << name;
    EXPECT_EQ(found->base, base) << name;
    EXPECT_EQ(found->variant, variant) << name;
}

TEST(Variant, ASuffixSaysWhomAVariableIsFor) {
    expect_variant("OMP_NUM_TEAMS_ALL", "OMP_NUM_TEAMS", Variant::all);
    expect_variant("OMP_NUM_TEAMS_DEV", "OMP_NUM_TEAMS", Variant::device);
    expect_variant("OMP_NUM_TEAMS_DEV_0", "OMP_NUM_TEAMS", Variant::one_device);
    expect_variant("OMP_NUM_TEAMS_DEV_2147483647", "OMP_NUM_TEAMS", Variant::one_device);
}

TEST(Variant, AllOtherNamesArePlain) {
    for (const char* name : {"OMP_NUM_TEAMS", "OMP_NUM_TEAMS_3", "OMP_NUM_TEAMS_all", "_", "ALL", ""})
        EXPECT_FALSE(split_variant(name).has_value()) << name;
}

TEST(Variant, ADeviceNumberIsWrittenInOneWay) {
    for (const char* end : {"", "x", "1x", "-1", "+1", "01", " 1", "1 ", "2147483648", "99999999999999999999"})
        expect_variant(std::string("OMP_X_DEV_") + end, "OMP_X", Variant::no_device_number);
}

} // namespace
} // namespace teff::icv
