// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/memory_groups.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

#include "probe/trace/trace_reading.h"

namespace teff::probe::trace {
namespace {

class MemoryGroupsTest : public testing::Test {
  protected:
    // The group's folder: with a limit and what of that is in use.
    std::string group(const std::string& path, const char* limit, const char* usage) {
        const std::string folder = folder_.file(path.c_str());
        std::filesystem::create_directories(folder);
        std::ofstream(folder + "/memory.max") << limit << '\n';
        std::ofstream(folder + "/memory.current") << usage << '\n';
        return folder;
    }
    void add(const std::string& innermost, int levels) {
        groups_.add(innermost, levels, "memory.max", "memory.current");
    }

    ScratchFolder folder_;
    MemoryGroups groups_;
};

TEST_F(MemoryGroupsTest, WithoutGroupsThereIsNoLimit) {
    EXPECT_EQ(groups_.left_bytes(), MemoryGroups::kNoLimit);
    add(folder_.file("nowhere"), 3);
    EXPECT_EQ(groups_.left_bytes(), MemoryGroups::kNoLimit);
}

TEST_F(MemoryGroupsTest, TheTightestLevelHolds) {
    group("top", "max", "900");
    group("top/middle", "1000", "400");
    add(group("top/middle/inner", "2000", "300"), 3);
    EXPECT_EQ(groups_.left_bytes(), 600u);
    group("top/middle/inner", "350", "300");
    EXPECT_EQ(groups_.left_bytes(), 50u) << "as it is now";
    group("top/middle/inner", "350", "360");
    EXPECT_EQ(groups_.left_bytes(), 0u);
}

TEST_F(MemoryGroupsTest, WhatLiesAboveTheTopIsNoGroup) {
    group("top", "10", "0");
    add(group("top/inner", "1000", "0"), 1);
    EXPECT_EQ(groups_.left_bytes(), 1000u);
}

TEST_F(MemoryGroupsTest, TheTighterOfTwoHierarchiesHolds) {
    add(group("one", "1000", "0"), 1);
    add(group("two", "500", "0"), 1);
    EXPECT_EQ(groups_.left_bytes(), 500u);
}

} // namespace
} // namespace teff::probe::trace
