// SPDX-License-Identifier: Apache-2.0
#include "device/item_use.h"

#include <gtest/gtest.h>

#include "device/pretended_device.h"

namespace teff::device {
namespace {

int global = 1;

class ItemUse : public testing::Test {
  protected:
    bool finds(MapKind kind, const void* address, std::size_t size) {
        ItemList list;
        list.add(kind, address, size);
        return is_present(device_.memory, list.items(), 0);
    }

    PretendedDevice device_;
    int data_[100] = {};
    int other_ = 0;
};

TEST_F(ItemUse, DataArePresentIfAPartOfThemIs) {
    EXPECT_FALSE(finds(MapKind::tofrom, data_, sizeof data_));
    device_.enter(ItemList().add(MapKind::to, data_ + 10, 10 * sizeof(int)));
    EXPECT_TRUE(finds(MapKind::tofrom, data_, sizeof data_));
    EXPECT_FALSE(finds(MapKind::tofrom, data_, 10 * sizeof(int)));
    EXPECT_TRUE(finds(MapKind::zero_length, data_ + 15, 0));
    EXPECT_TRUE(finds(MapKind::to, data_ + 20, 0)) << "a section without elements behind the data";
    EXPECT_FALSE(finds(MapKind::zero_length, data_ + 50, 0));
    EXPECT_TRUE(finds(MapKind::pointer, data_ + 12, 1 << 20)) << "its size is no length";
    EXPECT_FALSE(finds(MapKind::firstprivate, data_ + 10, sizeof(int)));
    EXPECT_FALSE(finds(MapKind::to, nullptr, 8));
}

TEST_F(ItemUse, OnlyCopiesBackAreWritten) {
    const auto bytes = [&](MapKind kind) {
        ItemList list;
        list.add(kind, &other_, sizeof other_);
        return written_by(list.items(), 0).bytes;
    };
    EXPECT_EQ(bytes(MapKind::to), 0u);
    EXPECT_EQ(bytes(MapKind::firstprivate_int), 0u);
    EXPECT_EQ(bytes(MapKind::from), sizeof other_);
    EXPECT_EQ(bytes(MapKind::always_tofrom), sizeof other_);
}

TEST_F(ItemUse, AnAddressOfTheDeviceIsAnInteger) {
    const Range range = {0x1000, 0x100};
    const auto names = [&](std::uintptr_t value) {
        return names_address_in(range,
                                ItemList().add(MapKind::firstprivate_int, reinterpret_cast<void*>(value), 0).items());
    };
    EXPECT_TRUE(names(0x1000));
    EXPECT_TRUE(names(0x10ff));
    EXPECT_FALSE(names(0x1100));
    EXPECT_FALSE(names(7));
}

TEST_F(ItemUse, VariablesOfTheProgramAreNamed) {
    device_.memory.modules.read();
    EXPECT_TRUE(names_variable(device_.memory, ItemList().add(MapKind::to, &global, sizeof global).items()));
    EXPECT_FALSE(names_variable(device_.memory, ItemList().add(MapKind::to, data_, sizeof data_).items()));
}

} // namespace
} // namespace teff::device
