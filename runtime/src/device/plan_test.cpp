// SPDX-License-Identifier: Apache-2.0
#include "device/plan.h"

#include <cstring>
#include <gtest/gtest.h>
#include <memory>

#include "device/pretended_device.h"

namespace teff::device {
namespace {

using testing::Test;
using testing::TestWithParam;

constexpr const char* kNone = nullptr;

template <class T> T& at(void* word) { return *static_cast<T*>(word); }

class PlanTest : public Test {
  protected:
    PretendedDevice device_;
};

// --- alloc, to, from, tofrom, with and without the bits of an implicit item ---

struct Moves {
    unsigned kind;
    bool to, from;
};
class PlainKinds : public TestWithParam<Moves> {};

TEST_P(PlainKinds, MoveOnlyInTheirDirections) {
    PretendedDevice device;
    const Moves moves = GetParam();
    int x = 7, seen = 0;
    const auto body = [&](void** words) {
        EXPECT_TRUE(device.has(words[0]));
        seen = at<int>(words[0]);
        at<int>(words[0]) = 8;
    };
    EXPECT_EQ(device.region(ItemList().add(moves.kind, &x, sizeof x), body), kNone);
    EXPECT_EQ(seen == 7, moves.to);
    EXPECT_EQ(x, moves.from ? 8 : 7);
    EXPECT_TRUE(device.is_empty());
}

INSTANTIATE_TEST_SUITE_P(All, PlainKinds,
                         testing::Values(Moves{0x00, false, false}, Moves{0x01, true, false}, Moves{0x02, false, true},
                                         Moves{0x03, true, true}, Moves{0x60, false, false}, Moves{0x61, true, false},
                                         Moves{0x62, false, true}, Moves{0x63, true, true}, Moves{0x80, false, false},
                                         Moves{0x81, true, false}, Moves{0x82, false, true}, Moves{0x83, true, true},
                                         Moves{0x11, true, false}, Moves{0x12, false, true}, Moves{0x13, true, true}));

TEST_F(PlanTest, PresentDataAreNotMovedUnlessAlways) {
    int x = 1;
    EXPECT_EQ(device_.enter(ItemList().add(MapKind::to, &x, sizeof x)), kNone);
    x = 2;
    EXPECT_EQ(device_.region(ItemList().add(MapKind::tofrom, &x, sizeof x),
                             [](void** words) {
                                 EXPECT_EQ(at<int>(words[0]), 1);
                                 at<int>(words[0]) = 3;
                             }),
              kNone);
    EXPECT_EQ(x, 2);
    EXPECT_EQ(device_.region(ItemList().add(MapKind::always_from, &x, sizeof x), [](void**) {}), kNone);
    EXPECT_EQ(x, 3);
    x = 4;
    EXPECT_EQ(device_.region(ItemList().add(MapKind::always_to, &x, sizeof x), [](void**) {}), kNone);
    EXPECT_EQ(*device_.copy_of(x), 4);
    x = 5;
    EXPECT_EQ(device_.region(ItemList().add(MapKind::always_tofrom, &x, sizeof x),
                             [](void** words) { at<int>(words[0]) += 1; }),
              kNone);
    EXPECT_EQ(x, 6);
    EXPECT_EQ(device_.bytes_to, 3 * sizeof x);
    EXPECT_EQ(device_.bytes_from, 2 * sizeof x);
}

TEST_F(PlanTest, CountsHoldDataUntilTheLastReference) {
    int x = 1;
    ItemList to;
    to.add(MapKind::tofrom, &x, sizeof x);
    EXPECT_EQ(device_.enter(to), kNone);
    EXPECT_EQ(device_.enter(to), kNone);
    *device_.copy_of(x) = 9;
    ItemList from;
    from.add(MapKind::from, &x, sizeof x);
    EXPECT_EQ(device_.exit(from), kNone);
    EXPECT_EQ(x, 1) << "one reference is left";
    EXPECT_EQ(device_.exit(from), kNone);
    EXPECT_EQ(x, 9);
    EXPECT_TRUE(device_.is_empty());
    EXPECT_EQ(device_.exit(from), kNone) << "what is not present is ignored";
}

TEST_F(PlanTest, AConstructCountsAnEntryOnce) {
    int array[8] = {};
    ItemList twice;
    twice.add(MapKind::to, array, sizeof array).add(MapKind::to, array + 2, sizeof(int));
    EXPECT_EQ(device_.enter(twice), kNone);
    ItemList released;
    released.add(MapKind::release, array, sizeof array).add(MapKind::release, array + 2, sizeof(int));
    EXPECT_EQ(device_.exit(released), kNone);
    EXPECT_TRUE(device_.is_empty());
}

TEST_F(PlanTest, DeleteIgnoresTheCount) {
    int x = 1;
    ItemList to;
    to.add(MapKind::to, &x, sizeof x);
    for (const auto kind : {MapKind::delete_, MapKind::delete_zero_length}) {
        EXPECT_EQ(device_.enter(to), kNone);
        EXPECT_EQ(device_.enter(to), kNone);
        EXPECT_EQ(device_.exit(ItemList().add(kind, &x, kind == MapKind::delete_ ? sizeof x : 0)), kNone);
        EXPECT_TRUE(device_.is_empty());
    }
}

TEST_F(PlanTest, DataDeletedInsideTargetDataAreGoneAtItsEnd) {
    int x = 1;
    ItemList list;
    list.add(MapKind::tofrom, &x, sizeof x);
    base::List<Held> held;
    EXPECT_EQ(device_.enter(list, &held), kNone);
    *device_.copy_of(x) = 2;
    EXPECT_EQ(device_.exit(ItemList().add(MapKind::delete_, &x, sizeof x)), kNone);
    EXPECT_EQ(device_.leave(held), kNone);
    EXPECT_EQ(x, 1);
    EXPECT_TRUE(device_.is_empty());
}

TEST_F(PlanTest, TargetDataCopiesAtItsEnd) {
    int x = 1;
    ItemList list;
    list.add(MapKind::tofrom, &x, sizeof x);
    base::List<Held> held;
    EXPECT_EQ(device_.enter(list, &held), kNone);
    EXPECT_EQ(device_.region(ItemList().add(0x63, &x, sizeof x), [](void** words) { at<int>(words[0]) = 5; }), kNone);
    EXPECT_EQ(x, 1);
    EXPECT_EQ(device_.leave(held), kNone);
    EXPECT_EQ(x, 5);
    EXPECT_TRUE(device_.is_empty());
}

// --- what must be, or cannot be ---

TEST_F(PlanTest, PresentModifiersDemandData) {
    int x = 1;
    for (const auto kind : {MapKind::force_present, MapKind::always_present_to, MapKind::always_present_from,
                            MapKind::always_present_tofrom}) {
        PretendedDevice device;
        EXPECT_STREQ(device.region(ItemList().add(kind, &x, sizeof x), [](void**) {}),
                     "it is not on the device, but the map clause demands that it is");
        EXPECT_EQ(device.enter(ItemList().add(MapKind::to, &x, sizeof x)), kNone);
    }
    EXPECT_EQ(device_.enter(ItemList().add(MapKind::alloc, &x, sizeof x)), kNone);
    EXPECT_EQ(device_.region(ItemList().add(MapKind::always_present_tofrom, &x, sizeof x),
                             [](void** words) { at<int>(words[0]) += 1; }),
              kNone);
    EXPECT_EQ(x, 2);
}

TEST_F(PlanTest, PartsThatOverlapAreRefused) {
    int array[8] = {};
    EXPECT_EQ(device_.enter(ItemList().add(MapKind::to, array, 4 * sizeof(int))), kNone);
    EXPECT_NE(device_.region(ItemList().add(MapKind::tofrom, array + 2, 4 * sizeof(int)), [](void**) {}), kNone);
}

TEST_F(PlanTest, AnImplicitItemUsesThePartThatIsPresent) {
    int array[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    EXPECT_EQ(device_.enter(ItemList().add(MapKind::to, array + 2, 4 * sizeof(int))), kNone);
    EXPECT_EQ(device_.region(ItemList().add(0x63, array, sizeof array),
                             [](void** words) { EXPECT_EQ((&at<int>(words[0]))[3], 3); }),
              kNone);
}

TEST_F(PlanTest, AKindThatIsNotKnownIsAProblem) {
    int x = 0;
    for (const unsigned kind : {0x5cu, 0x14u, 0x08u, 0xffu})
        EXPECT_NE(device_.region(ItemList().add(kind, &x, sizeof x), [](void**) {}), kNone) << kind;
}

TEST(Plan, MemoryThatTheDeviceLacksIsAProblem) {
    PretendedDevice device(4096);
    static char large[8192];
    EXPECT_STREQ(device.region(ItemList().add(MapKind::to, large, sizeof large), [](void**) {}),
                 "the device has no memory left for it");
}

// --- firstprivate ---

TEST_F(PlanTest, FirstprivateItemsAreCopies) {
    double value = 2.5;
    EXPECT_EQ(device_.region(ItemList()
                                 .add(static_cast<unsigned>(MapKind::firstprivate), &value, sizeof value, 6)
                                 .add(MapKind::firstprivate_int, reinterpret_cast<void*>(17), 0)
                                 .add(MapKind::firstprivate, nullptr, sizeof value),
                             [&](void** words) {
                                 EXPECT_EQ(at<double>(words[0]), 2.5);
                                 EXPECT_EQ(reinterpret_cast<Address>(words[0]) % 64, 0u);
                                 EXPECT_TRUE(device_.has(words[0]));
                                 at<double>(words[0]) = 0;
                                 EXPECT_EQ(words[1], reinterpret_cast<void*>(17));
                                 EXPECT_EQ(words[2], nullptr);
                             }),
              kNone);
    EXPECT_EQ(value, 2.5);
    EXPECT_TRUE(device_.is_empty());
}

TEST_F(PlanTest, AnAttachmentLinksFirstprivateDataToTheirDescriptor) { // GCC 15
    std::uint64_t descriptor[4] = {1, 2, 3, 4};
    int data[2] = {5, 6};
    ItemList list;
    list.add(MapKind::firstprivate, descriptor, sizeof descriptor).add(MapKind::firstprivate, data, sizeof data);
    list.add(MapKind::attach, nullptr, 1);
    const Items items = list.items();
    items.addresses[2] = items.addresses;
    Plan plan;
    plan_region(device_.memory, items, plan);
    ASSERT_EQ(plan.problem.text, kNone);
    ASSERT_EQ(plan.to_device.size(), 2u);
    ASSERT_EQ(plan.stores.size(), 4u);
    EXPECT_EQ(plan.stores[0].device, plan.to_device[0].device + sizeof(std::uint64_t));
    EXPECT_EQ(plan.stores[0].value, plan.to_device[1].device);
}

// --- pointers ---

TEST_F(PlanTest, APointerPointsToTheDevicesCopy) {
    int array[4] = {1, 2, 3, 4};
    int* pointer = array;
    EXPECT_EQ(device_.region(ItemList()
                                 .add(MapKind::tofrom, array + 1, 3 * sizeof(int))
                                 .add(MapKind::pointer, &pointer, sizeof(int)), // the section begins one element on
                             [&](void** words) {
                                 int* const copy = at<int*>(words[1]);
                                 EXPECT_EQ(copy + 1, words[0]);
                                 copy[3] = 40;
                             }),
              kNone);
    EXPECT_EQ(array[3], 40);
    EXPECT_EQ(pointer, array);
    EXPECT_TRUE(device_.is_empty());
}

TEST_F(PlanTest, ATargetMayComeLaterInTheList) {
    int array[4] = {1, 2, 3, 4};
    int* pointer = array;
    EXPECT_EQ(device_.region(ItemList()
                                 .add(MapKind::pointer, &pointer, 0)
                                 .add(MapKind::zero_length, array + 1, 0)
                                 .add(MapKind::to, array, sizeof array),
                             [&](void** words) {
                                 EXPECT_EQ(at<int*>(words[0]), words[2]);
                                 EXPECT_EQ(words[1], static_cast<int*>(words[2]) + 1);
                             }),
              kNone);
}

TEST_F(PlanTest, PointersWithoutTarget) {
    int array[4] = {};
    int *pointer = array, *null = nullptr;
    EXPECT_STREQ(device_.enter(ItemList().add(MapKind::pointer, &pointer, 0)),
                 "the memory that this pointer points to is not on the device");
    PretendedDevice other;
    EXPECT_EQ(other.region(ItemList()
                               .add(MapKind::pointer_to_zero_length, &pointer, 0)
                               .add(MapKind::pointer, &null, 0)
                               .add(MapKind::zero_length, array, 0),
                           [&](void** words) {
                               EXPECT_EQ(at<int*>(words[0]), nullptr);
                               EXPECT_EQ(at<int*>(words[1]), nullptr);
                               EXPECT_EQ(words[2], array) << "it keeps its value";
                           }),
              kNone);
}

TEST_F(PlanTest, AZeroLengthSectionMayBeginBehindTheLastElement) {
    int array[4] = {};
    EXPECT_EQ(device_.enter(ItemList().add(MapKind::to, array, sizeof array)), kNone);
    EXPECT_EQ(device_.region(ItemList().add(MapKind::zero_length, array + 4, 0),
                             [&](void** words) { EXPECT_EQ(words[0], device_.copy_of(array[0]) + 4); }),
              kNone);
}

TEST_F(PlanTest, AZeroLengthSectionCountsWhatItPointsInto) {
    int array[4] = {};
    EXPECT_EQ(device_.enter(ItemList().add(MapKind::to, array, sizeof array)), kNone);
    EXPECT_EQ(device_.enter(ItemList().add(MapKind::zero_length, array, 0)), kNone);
    EXPECT_EQ(device_.enter(ItemList().add(MapKind::always_to, array, 0)), kNone);
    for (int i = 0; i < 3; ++i) {
        EXPECT_NE(device_.copy_of(array[0]), nullptr);
        EXPECT_EQ(device_.exit(ItemList().add(MapKind::release, array, 0)), kNone);
    }
    EXPECT_TRUE(device_.is_empty());
}

TEST_F(PlanTest, UseDevicePtrOverwritesTheList) {
    int array[4] = {}, other = 0;
    ItemList list;
    list.add(MapKind::to, array, sizeof array)
        .add(MapKind::use_device_ptr, array + 1, 0)
        .add(MapKind::use_device_ptr_if_present, &other, 0)
        .add(MapKind::use_device_ptr, &other, 0);
    EXPECT_EQ(device_.enter(list), kNone);
    EXPECT_EQ(list.address(1), device_.copy_of(array[0]) + 1);
    EXPECT_EQ(list.address(2), &other) << "what is not present keeps its address";
    EXPECT_EQ(list.address(3), &other);
}

// --- Fortran's descriptors ---

struct Descriptor {
    int* data;
    std::uint64_t bounds[7];
};

TEST_F(PlanTest, ADescriptorIsCopiedWithItsPointer) {
    for (const auto kind : {MapKind::pointer, MapKind::pointer_to_zero_length, MapKind::always_pointer}) {
        int array[4] = {1, 2, 3, 4};
        Descriptor descriptor = {array, {1, 2, 3, 4, 5, 6, 7}};
        EXPECT_EQ(device_.region(ItemList()
                                     .add(MapKind::tofrom, array, sizeof array)
                                     .add(MapKind::to_pset, &descriptor, sizeof descriptor)
                                     .add(kind, &descriptor.data, 0),
                                 [](void** words) {
                                     EXPECT_EQ(at<Descriptor>(words[1]).data, words[0]);
                                     EXPECT_EQ(at<Descriptor>(words[1]).bounds[6], 7u);
                                     at<Descriptor>(words[1]).data[2] = 30;
                                 }),
                  kNone);
        EXPECT_EQ(array[2], 30);
        EXPECT_EQ(descriptor.data, array);
        EXPECT_TRUE(device_.is_empty());
    }
}

TEST_F(PlanTest, ADescriptorIsCopiedAgainWhenItsVariableHasBeenAllocated) {
    int array[4] = {1, 2, 3, 4};
    Descriptor descriptor = {nullptr, {}};
    ItemList null;
    null.add(MapKind::to_pset, &descriptor, sizeof descriptor).add(MapKind::pointer, &descriptor.data, 0);
    EXPECT_EQ(device_.enter(null), kNone);
    EXPECT_EQ(device_.copy_of(descriptor)->data, nullptr);
    descriptor = {array, {7, 0, 0, 0, 0, 0, 0}};
    ItemList allocated;
    allocated.add(MapKind::tofrom, array, sizeof array)
        .add(MapKind::to_pset, &descriptor, sizeof descriptor)
        .add(MapKind::pointer, &descriptor.data, 0);
    EXPECT_EQ(device_.enter(allocated), kNone);
    EXPECT_EQ(device_.copy_of(descriptor)->data, device_.copy_of(array[0]));
    EXPECT_EQ(device_.copy_of(descriptor)->bounds[0], 7u);
}

TEST_F(PlanTest, AnAlwaysPointerRenewsAPresentDescriptor) {
    int first[2] = {1, 2}, second[2] = {3, 4};
    Descriptor descriptor = {first, {}};
    EXPECT_EQ(device_.enter(ItemList()
                                .add(MapKind::to, first, sizeof first)
                                .add(MapKind::to, second, sizeof second)
                                .add(MapKind::to_pset, &descriptor, sizeof descriptor)
                                .add(MapKind::pointer, &descriptor.data, 0)),
              kNone);
    descriptor.data = second;
    ItemList list;
    list.add(MapKind::to_pset, &descriptor, sizeof descriptor).add(MapKind::pointer, &descriptor.data, 0);
    EXPECT_EQ(device_.enter(list), kNone);
    EXPECT_EQ(device_.copy_of(descriptor)->data, device_.copy_of(first[0])) << "it is present";
    ItemList always;
    always.add(MapKind::to_pset, &descriptor, sizeof descriptor).add(MapKind::always_pointer, &descriptor.data, 0);
    EXPECT_EQ(device_.enter(always), kNone);
    EXPECT_EQ(device_.copy_of(descriptor)->data, device_.copy_of(second[0]));
}

// --- structures ---

struct Node {
    int before;
    int a;
    int* data;
    int b;
    int behind;
};

TEST_F(PlanTest, AStructureIsOneBlockFromItsFirstToItsLastMember) {
    Node node = {1, 2, nullptr, 3, 4};
    EXPECT_EQ(device_.region(ItemList()
                                 .add(MapKind::struct_, &node, 2)
                                 .add(MapKind::tofrom, &node.a, sizeof node.a)
                                 .add(MapKind::to, &node.b, sizeof node.b),
                             [&](void** words) {
                                 auto& copy = at<Node>(words[0]);
                                 EXPECT_EQ(&copy.a, words[1]);
                                 EXPECT_EQ(copy.a, 2);
                                 EXPECT_EQ(copy.b, 3);
                                 copy.a = 20;
                                 copy.b = 30;
                                 EXPECT_EQ(device_.memory.presence.size(), 0u) << "planned to its end";
                             }),
              kNone);
    EXPECT_EQ(node.a, 20);
    EXPECT_EQ(node.b, 3);
    EXPECT_TRUE(device_.is_empty());
    EXPECT_EQ(device_.bytes_to, 2 * sizeof(int)) << "only the members";
}

TEST_F(PlanTest, DataHaveTheSamePlaceInALineAsOnTheHost) {
    alignas(64) char line[64] = {};
    for (const unsigned at : {0u, 4u, 24u, 63u})
        EXPECT_EQ(device_.region(ItemList().add(MapKind::to, line + at, 1),
                                 [&](void** words) { EXPECT_EQ(reinterpret_cast<std::uintptr_t>(words[0]) % 64, at); }),
                  kNone);
    EXPECT_TRUE(device_.is_empty());
}

TEST_F(PlanTest, AListThatEndsWithinAStructureIsAProblem) {
    Node node = {};
    EXPECT_NE(device_.region(ItemList().add(MapKind::struct_, &node, 2).add(MapKind::to, &node.a, sizeof node.a),
                             [](void**) {}),
              kNone);
}

TEST_F(PlanTest, AnAlwaysPointerGetsTheItemBeforeIt) {
    int array[4] = {1, 2, 3, 4};
    Node node = {0, 0, array, 0, 0};
    EXPECT_EQ(device_.enter(ItemList().add(MapKind::to, &node, sizeof node)), kNone);
    EXPECT_EQ(device_.enter(ItemList()
                                .add(MapKind::to, array + 1, 3 * sizeof(int))
                                .add(MapKind::always_pointer, &node.data, sizeof(int))),
              kNone);
    EXPECT_EQ(device_.copy_of(node)->data, device_.copy_of(array[1]) - 1);
    EXPECT_STREQ(device_.enter(ItemList().add(MapKind::to, array + 1, 4).add(MapKind::always_pointer, &array, 0)),
                 "the pointer itself is not on the device");
}

class AttachedTest : public PlanTest {
  protected:
    // The structure and its data are present, and attached.
    void SetUp() override {
        EXPECT_EQ(device_.enter(ItemList()
                                    .add(MapKind::to, &node_, sizeof node_)
                                    .add(MapKind::to, array_, sizeof array_)
                                    .add(MapKind::attach, &node_.data, 0)),
                  kNone);
    }
    int array_[4] = {1, 2, 3, 4};
    Node node_ = {1, 2, array_, 3, 4};
};

TEST_F(AttachedTest, ThePointerPointsToTheCopy) { EXPECT_EQ(device_.copy_of(node_)->data, device_.copy_of(array_[0])); }

TEST_F(AttachedTest, CopiesBothWaysLeaveThePointerAsItIs) {
    node_.a = 20;
    EXPECT_EQ(device_.update(ItemList().add(MapKind::to, &node_, sizeof node_)), kNone);
    EXPECT_EQ(device_.copy_of(node_)->a, 20);
    EXPECT_EQ(device_.copy_of(node_)->data, device_.copy_of(array_[0]));
    device_.copy_of(node_)->b = 30;
    EXPECT_EQ(device_.update(ItemList().add(MapKind::from, &node_, sizeof node_)), kNone);
    EXPECT_EQ(node_.b, 30);
    EXPECT_EQ(node_.data, array_);
    EXPECT_EQ(device_.region(ItemList().add(MapKind::always_tofrom, &node_, sizeof node_),
                             [&](void** words) { EXPECT_EQ(at<Node>(words[0]).data, device_.copy_of(array_[0])); }),
              kNone);
    EXPECT_EQ(node_.data, array_);
}

TEST_F(AttachedTest, TheStructureComesBackWithTheHostsPointer) {
    EXPECT_EQ(device_.exit(ItemList()
                               .add(MapKind::detach, &node_.data, 0)
                               .add(MapKind::release, array_, sizeof array_)
                               .add(MapKind::from, &node_, sizeof node_)),
              kNone);
    EXPECT_EQ(node_.data, array_);
    EXPECT_TRUE(device_.is_empty());
}

TEST_F(AttachedTest, AttachmentsAreCounted) {
    int other[4] = {};
    node_.data = other;
    ItemList again;
    again.add(MapKind::to, other, sizeof other).add(MapKind::attach, &node_.data, 0);
    EXPECT_EQ(device_.enter(again), kNone);
    EXPECT_EQ(device_.copy_of(node_)->data, device_.copy_of(array_[0])) << "it is attached";
    EXPECT_EQ(device_.exit(ItemList().add(MapKind::force_detach, &node_.data, 0)), kNone);
    EXPECT_EQ(device_.enter(again), kNone);
    EXPECT_EQ(device_.copy_of(node_)->data, device_.copy_of(other[0]));
}

TEST_F(PlanTest, AttachmentsOfRegionsEndWithThem) {
    int array[4] = {1, 2, 3, 4};
    Node node = {0, 0, array, 0, 0};
    EXPECT_EQ(device_.enter(ItemList().add(MapKind::to, &node, sizeof node)), kNone);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(
            device_.region(ItemList().add(MapKind::tofrom, array, sizeof array).add(MapKind::attach, &node.data, 0),
                           [&](void** words) {
                               EXPECT_EQ(device_.copy_of(node)->data, words[0]);
                               ++device_.copy_of(node)->data[0];
                           }),
            kNone);
    }
    EXPECT_EQ(array[0], 3);
}

TEST_F(PlanTest, AttachIsIgnoredWithoutThePointerAndRefusedWithoutTheTarget) {
    int array[4] = {};
    Node node = {0, 0, array, 0, 0};
    EXPECT_EQ(device_.enter(ItemList().add(MapKind::attach, &node.data, 0)), kNone);
    EXPECT_EQ(device_.enter(ItemList().add(MapKind::to, &node, sizeof node)), kNone);
    EXPECT_EQ(device_.enter(ItemList().add(MapKind::attach_zero_length, &node.data, 0)), kNone);
    EXPECT_EQ(device_.copy_of(node)->data, nullptr);
    EXPECT_EQ(device_.exit(ItemList().add(MapKind::detach, &node.data, 0)), kNone);
    EXPECT_STREQ(device_.enter(ItemList().add(MapKind::attach, &node.data, 0)),
                 "the memory that this pointer points to is not on the device");
}

TEST_F(PlanTest, AListOfNodesIsLinkedNodeByNode) {
    struct Link {
        int value;
        Link* next;
    };
    Link links[3] = {{1, &links[1]}, {2, &links[2]}, {3, nullptr}};
    EXPECT_EQ(device_.enter(ItemList().add(MapKind::to, &links[0], sizeof(Link))), kNone);
    for (int i = 0; i < 2; ++i)
        EXPECT_EQ(device_.enter(
                      ItemList().add(MapKind::to, &links[i + 1], sizeof(Link)).add(MapKind::attach, &links[i].next, 0)),
                  kNone);
    int sum = 0;
    EXPECT_EQ(device_.region(ItemList().add(MapKind::zero_length, &links[0], 0),
                             [&](void** words) {
                                 for (auto* link = &at<Link>(words[0]); link != nullptr; link = link->next) {
                                     EXPECT_TRUE(device_.has(link));
                                     sum += link->value;
                                 }
                             }),
              kNone);
    EXPECT_EQ(sum, 6);
}

// --- update ---

TEST_F(PlanTest, UpdateIgnoresWhatIsNotPresent) {
    auto heap = std::make_unique<int>(3);
    EXPECT_EQ(device_.update(ItemList().add(MapKind::to, heap.get(), sizeof(int)).add(MapKind::from, nullptr, 4)),
              kNone);
    EXPECT_EQ(device_.bytes_to, 0u);
    int array[4] = {};
    EXPECT_EQ(device_.enter(ItemList().add(MapKind::to, array, 2 * sizeof(int))), kNone);
    EXPECT_NE(device_.update(ItemList().add(MapKind::to, array, sizeof array)), kNone);
}

// --- memory in modules ---

int variable = 4;
const char constant[] = "constant";
void function() {}

class ModulesTest : public PlanTest {
  protected:
    // The other process is this one, so a module's memory is its own copy.
    void SetUp() override {
        device_.memory.modules.read();
        const auto& records = device_.memory.modules.records();
        EXPECT_EQ(device_.memory.modules.match(records.data(), records.size()), nullptr);
    }
};

TEST_F(ModulesTest, AVariableIsMappedInPlace) {
    EXPECT_EQ(device_.region(ItemList().add(MapKind::tofrom, &variable, sizeof variable),
                             [](void** words) { EXPECT_EQ(words[0], &variable); }),
              kNone);
    EXPECT_EQ(device_.bytes_to, sizeof variable);
    EXPECT_EQ(device_.bytes_from, sizeof variable);
    EXPECT_TRUE(device_.is_empty());
}

TEST_F(ModulesTest, ConstantsAreNeverMoved) {
    EXPECT_EQ(device_.region(ItemList().add(0x63, constant, sizeof constant),
                             [](void** words) { EXPECT_EQ(words[0], constant); }),
              kNone);
    EXPECT_EQ(device_.bytes_to + device_.bytes_from, 0u);
}

TEST_F(ModulesTest, FunctionsAndUnmappedPointersAreTranslated) {
    int* pointer = &variable;
    EXPECT_EQ(device_.region(ItemList()
                                 .add(MapKind::zero_length, reinterpret_cast<void*>(function), 0)
                                 .add(MapKind::pointer, &pointer, 0),
                             [](void** words) {
                                 EXPECT_EQ(words[0], reinterpret_cast<void*>(function));
                                 EXPECT_EQ(at<int*>(words[1]), &variable);
                             }),
              kNone);
}

int* declared_pointer;

TEST_F(ModulesTest, ADeclareTargetPointerIsAttached) {
    int data[2] = {1, 2};
    for (int i = 0; i < 2; ++i) {
        declared_pointer = data;
        EXPECT_EQ(device_.region(
                      ItemList().add(MapKind::tofrom, data, sizeof data).add(MapKind::attach, &declared_pointer, 0),
                      [](void** words) { EXPECT_EQ(declared_pointer, words[0]); }),
                  kNone);
    }
    EXPECT_EQ(device_.memory.presence.slot(PretendedDevice::address_of(&declared_pointer)), nullptr);
}

TEST_F(ModulesTest, UpdateReachesADeclareTargetVariable) {
    EXPECT_EQ(device_.update(ItemList().add(MapKind::to, &variable, sizeof variable)), kNone);
    EXPECT_EQ(device_.bytes_to, sizeof variable);
}

// --- data that have been sent ahead (ahead.h) ---

class SentAheadTest : public Test {
  protected:
    using Big = int[1024];

    // Puts data of a construct on the device, as send_ahead does. Returns where.
    int* send_ahead(const ItemList& list, const Big& data) {
        const Address host = PretendedDevice::address_of(data);
        const std::uint64_t in_line = host % RangeHeap::kLine;
        const Range block = device_.memory.heap.allocate(in_line + sizeof data);
        device_.memory.sent_ahead.push(
            {const_cast<ItemList&>(list).items().addresses, {host, sizeof data}, block, false});
        auto* const there = reinterpret_cast<int*>(block.address + in_line);
        std::memcpy(there, data, sizeof data);
        return there;
    }
    ItemList list_of(Big& data, MapKind kind) { return ItemList().add(kind, data, sizeof data); }
    void plan_and_carry_out(ItemList& list, int expected) {
        EXPECT_EQ(device_.run(list, [=](void** words) { EXPECT_EQ(at<int>(words[0]), expected); }), kNone);
    }

    PretendedDevice device_;
    Big data_ = {1}, other_ = {2};
};

TEST_F(SentAheadTest, DataAreUsedAndNotSentAgain) {
    ItemList list = list_of(data_, MapKind::tofrom);
    int* const there = send_ahead(list, data_);
    EXPECT_EQ(device_.run(list,
                          [=](void** words) {
                              EXPECT_EQ(words[0], there);
                              ++at<int>(words[0]);
                          }),
              kNone);
    EXPECT_EQ(data_[0], 2);
    EXPECT_EQ(device_.bytes_to, 0u);
    EXPECT_EQ(device_.bytes_from, sizeof data_);
    EXPECT_TRUE(device_.is_empty());
}

TEST_F(SentAheadTest, StaleDataAreSentAgain) {
    ItemList list = list_of(data_, MapKind::to);
    send_ahead(list, data_);
    data_[0] = 5;
    make_stale(device_.memory, {PretendedDevice::address_of(data_ + 1023), 4});
    plan_and_carry_out(list, 5);
    EXPECT_EQ(device_.bytes_to, sizeof data_);
    EXPECT_TRUE(device_.is_empty());
}

TEST_F(SentAheadTest, OtherMemoryDoesNotMakeThemStale) {
    ItemList list = list_of(data_, MapKind::to);
    send_ahead(list, data_);
    make_stale(device_.memory, {PretendedDevice::address_of(data_ + 1024), 4});
    make_stale(device_.memory, {PretendedDevice::address_of(data_) - 4, 4});
    plan_and_carry_out(list, 1);
    EXPECT_EQ(device_.bytes_to, 0u);
}

TEST_F(SentAheadTest, ADataConstructKeepsThem) {
    ItemList list = list_of(data_, MapKind::to), end = list_of(data_, MapKind::from);
    int* const there = send_ahead(list, data_);
    EXPECT_EQ(device_.enter(list), kNone);
    EXPECT_EQ(device_.copy_of(data_[0]), there);
    EXPECT_EQ(device_.bytes_to, 0u);
    // `always` copies them, now that they are not new.
    data_[0] = 3;
    plan_and_carry_out(*std::make_unique<ItemList>(list_of(data_, MapKind::always_to)), 3);
    EXPECT_EQ(device_.bytes_to, sizeof data_);
    EXPECT_EQ(device_.exit(end), kNone);
    EXPECT_TRUE(device_.is_empty());
}

TEST_F(SentAheadTest, DataThatHaveBecomePresentAreNotReplaced) {
    ItemList list = list_of(data_, MapKind::to), first = list_of(data_, MapKind::to);
    send_ahead(list, data_);
    EXPECT_EQ(device_.enter(first), kNone);
    *device_.copy_of(data_[0]) = 9;
    plan_and_carry_out(list, 9);
    EXPECT_EQ(device_.exit(list_of(data_, MapKind::release)), kNone);
    EXPECT_TRUE(device_.is_empty());
}

TEST_F(SentAheadTest, EachConstructHasItsOwn) {
    ItemList list = list_of(data_, MapKind::to), another = list_of(data_, MapKind::to);
    send_ahead(list, data_);
    data_[0] = 4; // which orders `another` behind it, but not `list`
    plan_and_carry_out(another, 4);
    EXPECT_EQ(device_.memory.sent_ahead.size(), 1u);
    plan_and_carry_out(list, 1);
    EXPECT_EQ(device_.memory.sent_ahead.size(), 0u);
    EXPECT_TRUE(device_.is_empty());
}

TEST_F(SentAheadTest, MemoryOfAFailureIsNotUsedAgain) {
    ItemList list = list_of(data_, MapKind::to);
    send_ahead(list, data_);
    device_.memory.sent_ahead[0].is_stale = true;
    device_.memory.sent_ahead[0].block = {};
    plan_and_carry_out(list, 1);
    EXPECT_EQ(device_.bytes_to, sizeof data_);
    EXPECT_FALSE(device_.is_empty());
}

// The words of a structure's pointer come after the data, wherever these come from.
TEST_F(SentAheadTest, PointersInThemGetTheirValues) {
    struct {
        int* pointer;
        Big rest;
    } structure = {data_, {}};
    ItemList list;
    list.add(MapKind::to, &structure, sizeof structure).add(MapKind::to, data_, sizeof data_);
    list.add(MapKind::attach, &structure.pointer, 0);
    const Address host = PretendedDevice::address_of(&structure);
    const std::uint64_t in_line = host % RangeHeap::kLine;
    const Range block = device_.memory.heap.allocate(in_line + sizeof structure);
    device_.memory.sent_ahead.push({list.items().addresses, {host, sizeof structure}, block, false});
    std::memcpy(reinterpret_cast<void*>(block.address + in_line), &structure, sizeof structure);
    int* const there = send_ahead(list, data_);
    EXPECT_EQ(device_.run(list, [=](void** words) { EXPECT_EQ(at<int*>(words[0]), there); }), kNone);
    EXPECT_EQ(device_.bytes_to, 0u);
    EXPECT_TRUE(device_.is_empty());
}

} // namespace
} // namespace teff::device
