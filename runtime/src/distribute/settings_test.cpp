// SPDX-License-Identifier: Apache-2.0
#include "distribute/settings.h"

#include <gtest/gtest.h>

namespace teff::distribute {
namespace {

TEST(Settings, NameTheSpreadAndTheLeastSize) {
    const auto fine = read_settings("fine");
    ASSERT_TRUE(fine);
    EXPECT_EQ(fine->spread, Spread::fine);
    EXPECT_EQ(fine->at_least_bytes, std::size_t{1} << 20);
    EXPECT_FALSE(fine->one_node_too);
    const auto coarse = read_settings("coarse:65536");
    ASSERT_TRUE(coarse);
    EXPECT_EQ(coarse->spread, Spread::coarse);
    EXPECT_EQ(coarse->at_least_bytes, 65536u);
    const auto test = read_settings("fine:1099511627776:one_node_too");
    ASSERT_TRUE(test);
    EXPECT_EQ(test->at_least_bytes, std::size_t{1} << 40);
    EXPECT_TRUE(test->one_node_too);
    EXPECT_EQ(test->filters, 0);
    const auto contained = read_settings("fine:65536:filters=12");
    ASSERT_TRUE(contained);
    EXPECT_EQ(contained->filters, 12);
    EXPECT_FALSE(contained->one_node_too);
    const auto both = read_settings("coarse:65536:one_node_too:filters=0");
    ASSERT_TRUE(both);
    EXPECT_TRUE(both->one_node_too);
}

TEST(Settings, RefuseWhatIsSomethingElse) {
    for (const char* text : {"",
                             ":",
                             ":65536",
                             "rough",
                             "Fine",
                             " fine",
                             "fine:65535",
                             "fine:1099511627777",
                             "fine:1M",
                             "fine:-1",
                             "fine: 65536",
                             "fine:99999999999999999999999999999",
                             "fine:65536:x",
                             "fine:65536:one_node_too:",
                             "fine:",
                             "fine:65536:filters",
                             "fine:65536:filters=",
                             "fine:65536:filters=-1",
                             "fine:65536:filters=32769",
                             "fine:65536::one_node_too",
                             "fine:filters=1"})
        EXPECT_FALSE(read_settings(text)) << text;
}

} // namespace
} // namespace teff::distribute
