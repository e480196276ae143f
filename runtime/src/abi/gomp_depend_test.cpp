// SPDX-License-Identifier: Apache-2.0
#include "abi/gomp_depend.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace teff::abi {
namespace {

using task::ItemKind;

using Items = std::vector<std::pair<void*, ItemKind>>;

Items items_of(const DependList& list) {
    Items items;
    for (const task::DependRun& run : list.items())
        for (void* const address : run)
            items.emplace_back(address, run.kind);
    return items;
}

void* word(std::uintptr_t value) { return reinterpret_cast<void*>(value); }

// Makes an array in the short form, with items at addresses 1000, 1001, ...
std::vector<void*> short_form(std::uintptr_t count, std::uintptr_t outs) {
    std::vector<void*> array{word(count), word(outs)};
    for (std::uintptr_t i = 0; i < count; ++i)
        array.push_back(word(1000 + i));
    return array;
}

Items expected_of_short_form(std::uintptr_t count, std::uintptr_t outs) {
    Items items;
    for (std::uintptr_t i = 0; i < count; ++i)
        items.emplace_back(word(1000 + i), i < outs ? ItemKind::kInout : ItemKind::kIn);
    return items;
}

TEST(GompDepend, NoArrayIsNoClause) {
    EXPECT_FALSE(DependList(nullptr).items().given());
    EXPECT_FALSE(DependList(0, nullptr).items().given());
}

TEST(GompDepend, TheShortFormNamesOutsThenIns) {
    for (std::uintptr_t count = 1; count <= 6; ++count)
        for (std::uintptr_t outs = 0; outs <= count; ++outs) {
            std::vector<void*> array = short_form(count, outs);
            const DependList list(array.data());
            EXPECT_TRUE(list.items().given());
            EXPECT_EQ(items_of(list), expected_of_short_form(count, outs)) << count << " items, " << outs << " outs";
        }
}

TEST(GompDepend, TheLongFormNamesEveryKind) {
    DependObject objects[] = {{word(7), 1}, {word(8), 2}, {word(9), 3}, {word(10), 4}, {word(11), 5}};
    std::vector<void*> array{word(0), word(9), word(1), word(2), word(1), word(1), word(2), word(3), nullptr};
    for (DependObject& object : objects)
        array.push_back(&object);
    const DependList list(array.data());
    EXPECT_EQ(items_of(list), (Items{{word(1), ItemKind::kInout},
                                     {word(2), ItemKind::kMutexinoutset},
                                     {word(3), ItemKind::kMutexinoutset},
                                     {nullptr, ItemKind::kIn},
                                     {word(7), ItemKind::kIn},
                                     {word(8), ItemKind::kOut},
                                     {word(9), ItemKind::kInout},
                                     {word(10), ItemKind::kMutexinoutset},
                                     {word(11), ItemKind::kInoutset}}));
}

TEST(GompDepend, AnIteratorWithoutIterationsIsAClauseWithoutItems) {
    void* array[] = {word(0), word(0), word(9), word(9), word(9)}; // an empty short form has only these two words
    const DependList list(array);
    EXPECT_TRUE(list.items().given());
    EXPECT_EQ(items_of(list), Items());
}

TEST(GompDepend, ObjectsAloneMakeAList) {
    std::vector<DependObject> objects;
    Items expected;
    for (std::uintptr_t i = 0; i < 12; ++i) {
        objects.push_back({word(i), 3});
        expected.emplace_back(word(i), ItemKind::kInout);
    }
    EXPECT_EQ(items_of(DependList(12, objects.data())), expected);
    EXPECT_EQ(items_of(DependList(5, objects.data())), Items(expected.begin(), expected.begin() + 5));
}

TEST(GompDepend, AnObjectThatIsNotInitialisedEndsTheProgram) {
    for (const std::uintptr_t kind : {0, 6}) {
        const DependObject object{word(1), kind};
        EXPECT_DEATH(DependList(1, &object), "not initialised");
    }
}

} // namespace
} // namespace teff::abi
