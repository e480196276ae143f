// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/site_table.h"

#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <string>

namespace teff::probe::trace {
namespace {

const void* address(std::uintptr_t bits) { return reinterpret_cast<const void*>(bits); }

TEST(SiteTable, NumbersPairsFromOne) {
    SiteTable table;
    EXPECT_EQ(table.find(address(0x1000), address(0x2000)), 0u);
    EXPECT_EQ(table.add(address(0x1000), address(0x2000)), 1u);
    EXPECT_EQ(table.add(address(0x1000), address(0x3000)), 2u);
    EXPECT_EQ(table.add(address(0x1000), nullptr), 3u);
    EXPECT_EQ(table.find(address(0x1000), address(0x2000)), 1u);
    EXPECT_EQ(table.find(address(0x1000), address(0x3000)), 2u);
    EXPECT_EQ(table.find(address(0x1000), nullptr), 3u);
    EXPECT_EQ(table.find(address(0x2000), address(0x1000)), 0u);
}

TEST(SiteTable, APlaceWithoutAddressesIsAPlaceToo) {
    SiteTable table;
    EXPECT_EQ(table.find(nullptr, nullptr), 0u);
    EXPECT_EQ(table.add(nullptr, nullptr), 1u);
    EXPECT_EQ(table.find(nullptr, nullptr), 1u);
}

TEST(SiteTable, GrowsWithoutForgetting) {
    constexpr std::uintptr_t kPlaces = 100'000;
    SiteTable table;
    for (std::uintptr_t i = 1; i <= kPlaces; ++i) {
        ASSERT_EQ(table.find(address(i * 8), address(i)), 0u);
        ASSERT_EQ(table.add(address(i * 8), address(i)), i);
    }
    for (std::uintptr_t i = 1; i <= kPlaces; ++i)
        ASSERT_EQ(table.find(address(i * 8), address(i)), i);
}

TEST(LoadedModule, TheProgramItselfAndItsLibrariesAreFound) {
    LoadedModule own;
    static const int here = 0;
    const auto own_address = reinterpret_cast<std::uintptr_t>(&here);
    ASSERT_TRUE(find_loaded_module(own_address, own));
    EXPECT_LE(own.begin, own_address);
    EXPECT_GT(own.end, own_address);
    EXPECT_NE(std::string(own.path).find("test_probe"), std::string::npos) << own.path;

    LoadedModule library;
    void* const getenv_address = dlsym(RTLD_DEFAULT, "getenv");
    Dl_info expected;
    ASSERT_NE(dladdr(getenv_address, &expected), 0);
    ASSERT_TRUE(find_loaded_module(reinterpret_cast<std::uintptr_t>(getenv_address), library));
    EXPECT_EQ(library.bias, reinterpret_cast<std::uintptr_t>(expected.dli_fbase));
    EXPECT_NE(library.path[0], '\0');

    LoadedModule none;
    EXPECT_FALSE(find_loaded_module(16, none));
}

TEST(ModuleTable, RemembersRanges) {
    ModuleTable table;
    EXPECT_EQ(table.find(100), 0u);
    EXPECT_EQ(table.add(100, 200), 1u);
    EXPECT_EQ(table.add(300, 400), 2u);
    EXPECT_EQ(table.find(100), 1u);
    EXPECT_EQ(table.find(199), 1u);
    EXPECT_EQ(table.find(200), 0u);
    EXPECT_EQ(table.find(399), 2u);
}

TEST(ModuleTable, ObjectsBeyondItsRoomGetNewNumbers) {
    ModuleTable table;
    for (std::uint32_t i = 1; i <= 200; ++i)
        EXPECT_EQ(table.add(i * 100, i * 100 + 50), i);
    EXPECT_EQ(table.find(12'800), 128u);
    EXPECT_EQ(table.find(20'000), 0u);
}

} // namespace
} // namespace teff::probe::trace
