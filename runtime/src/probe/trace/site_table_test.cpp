// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/site_table.h"

#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <string>

namespace teff::probe::trace {
namespace {

const void* address(std::uintptr_t bits) { return reinterpret_cast<const void*>(bits); }

// Adds the pair, and returns its number.
std::uint32_t add(SiteTable& table, const void* call_site, const void* function, std::uint64_t objects = 1) {
    const std::uint32_t number = table.next();
    const bool has_room = !table.is_full() || table.grow();
    EXPECT_TRUE(has_room);
    table.add(call_site, function, objects);
    return number;
}

TEST(SiteTable, NumbersPairsFromOne) {
    SiteTable table;
    EXPECT_EQ(table.find(address(0x1000), address(0x2000)), 0u);
    EXPECT_EQ(add(table, address(0x1000), address(0x2000)), 1u);
    EXPECT_EQ(add(table, address(0x1000), address(0x3000)), 2u);
    EXPECT_EQ(add(table, address(0x1000), nullptr), 3u);
    EXPECT_EQ(table.find(address(0x1000), address(0x2000)), 1u);
    EXPECT_EQ(table.find(address(0x1000), address(0x3000)), 2u);
    EXPECT_EQ(table.find(address(0x1000), nullptr), 3u);
    EXPECT_EQ(table.find(address(0x2000), address(0x1000)), 0u);
}

TEST(SiteTable, APlaceWithoutAddressesIsAPlaceToo) {
    SiteTable table;
    EXPECT_EQ(table.find(nullptr, nullptr), 0u);
    EXPECT_EQ(add(table, nullptr, nullptr), 1u);
    EXPECT_EQ(table.find(nullptr, nullptr), 1u);
}

TEST(SiteTable, GrowsWithoutForgetting) {
    constexpr std::uintptr_t kPlaces = 100'000;
    SiteTable table;
    for (std::uintptr_t i = 1; i <= kPlaces; ++i) {
        ASSERT_EQ(table.find(address(i * 8), address(i)), 0u);
        ASSERT_EQ(add(table, address(i * 8), address(i)), i);
    }
    for (std::uintptr_t i = 1; i <= kPlaces; ++i)
        ASSERT_EQ(table.find(address(i * 8), address(i)), i);
}

TEST(SiteTable, APlaceInDoubtIsKnownByItsObjects) {
    SiteTable table;
    for (std::uintptr_t i = 1; i <= 100; ++i)
        ASSERT_EQ(add(table, address(i * 8), nullptr, i), i);
    table.doubt_all();
    EXPECT_EQ(table.find(address(8), nullptr), 0u);
    EXPECT_EQ(table.confirm(address(8), nullptr, 1), 1u);
    EXPECT_EQ(table.find(address(8), nullptr), 1u);
    EXPECT_EQ(table.find(address(16), nullptr), 0u) << "each place has its own doubts";

    EXPECT_EQ(table.confirm(address(16), nullptr, 77), 0u) << "other objects lie there now";
    EXPECT_EQ(add(table, address(16), nullptr, 77), 101u);
    EXPECT_EQ(table.find(address(16), nullptr), 101u);
    table.doubt_all();
    EXPECT_EQ(table.confirm(address(16), nullptr, 77), 101u);
    EXPECT_EQ(table.confirm(address(4), nullptr, 1), 0u) << "it has never been there";
}

TEST(SiteTable, AFullTableKeepsWhatItHas) {
    SiteTable table;
    std::uintptr_t last = 0;
    while (!table.is_full())
        ASSERT_EQ(add(table, address(++last * 8), nullptr), last);
    table.add(address(4), nullptr, 1);
    EXPECT_EQ(table.find(address(4), nullptr), 0u);
    EXPECT_EQ(table.find(address(last * 8), nullptr), last);
    table.doubt_all();
    table.add(address(8), nullptr, 2);
    EXPECT_EQ(table.find(address(8), nullptr), last + 2) << "a place that is there takes no more room";
}

// As a forked child finds it.
TEST(SiteTable, OneThatIsAllZeroKnowsNothing) {
    alignas(SiteTable) char zeros[sizeof(SiteTable)] = {};
    const auto& table = *reinterpret_cast<const SiteTable*>(zeros);
    EXPECT_EQ(table.find(address(8), address(16)), 0u);
    EXPECT_EQ(table.find(nullptr, nullptr), 0u);
}

TEST(LoadedModule, TheProgramItselfAndItsLibrariesAreFound) {
    prepare_to_find_modules();
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

TEST(LoadedModule, APlaceIsToldByTheObjectsThatCoverIt) {
    prepare_to_find_modules();
    if (!finds_modules_without_lock()) GTEST_SKIP() << "the C library finds no object without a lock";
    const void* const here = reinterpret_cast<const void*>(&prepare_to_find_modules);
    const void* const there = dlsym(RTLD_DEFAULT, "getenv");
    const std::uint64_t own = objects_at(here, nullptr);
    EXPECT_NE(own, 0u);
    EXPECT_EQ(objects_at(here, here), own) << "in one object";
    EXPECT_NE(objects_at(there, nullptr), own);
    EXPECT_NE(objects_at(here, there), own);
    EXPECT_NE(objects_at(here, there), objects_at(there, nullptr));
    EXPECT_EQ(objects_at(here, there), objects_at(here, there));
    EXPECT_EQ(objects_at(address(16), nullptr), 0u) << "no object";
}

TEST(ModuleTable, RemembersObjects) {
    ModuleTable table;
    EXPECT_EQ(table.find(100), 0u);
    EXPECT_EQ(table.next(), 1u);
    table.add(100, 7);
    EXPECT_EQ(table.next(), 2u);
    table.add(300, 9);
    EXPECT_EQ(table.find(100), 1u);
    EXPECT_EQ(table.find(200), 0u);
    EXPECT_EQ(table.find(300), 2u);
    EXPECT_EQ(table.added_at(100, 5), 7u);
    EXPECT_EQ(table.added_at(200, 5), 5u);
    EXPECT_EQ(table.added_at(300, 5), 9u);
}

TEST(ModuleTable, ObjectsBeyondItsRoomGetNewNumbers) {
    ModuleTable table;
    for (std::uint32_t i = 1; i <= 200; ++i) {
        EXPECT_EQ(table.next(), i);
        table.add(i * 100, i);
    }
    EXPECT_EQ(table.find(12'800), 128u);
    EXPECT_EQ(table.find(20'000), 0u);
}

} // namespace
} // namespace teff::probe::trace
