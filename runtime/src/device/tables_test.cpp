// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "device/presence.h"
#include "device/range_heap.h"

namespace teff::device {
namespace {

TEST(RangeHeap, GivesOutAlignedPiecesThatDoNotOverlap) {
    RangeHeap heap;
    heap.add({0x10040, 1 << 20});
    std::mt19937 random(7);
    std::vector<Range> given;
    for (int i = 0; i < 2000; ++i) {
        if (!given.empty() && random() % 3 == 0) {
            const std::size_t k = random() % given.size();
            heap.give_back(given[k]);
            given.erase(given.begin() + static_cast<std::ptrdiff_t>(k));
            continue;
        }
        const std::uint64_t alignment = std::uint64_t{1} << random() % 13;
        const Range piece = heap.allocate(random() % 5000, alignment);
        if (piece.bytes == 0) continue; // full
        EXPECT_EQ(piece.address % alignment, 0u);
        for (const Range& other : given)
            EXPECT_FALSE(piece.overlaps(other));
        given.push_back(piece);
    }
    for (const Range& piece : given)
        heap.give_back(piece);
    EXPECT_EQ(heap.free_bytes(), 1u << 20);
    EXPECT_EQ(heap.allocate(1 << 20).address, 0x10040u) << "all is one piece again";
}

TEST(RangeHeap, RefusesWhatDoesNotFit) {
    RangeHeap heap;
    EXPECT_EQ(heap.allocate(1).bytes, 0u);
    heap.add({4096, 4096});
    EXPECT_EQ(heap.allocate(4097).bytes, 0u);
    EXPECT_EQ(heap.allocate(UINT64_MAX).bytes, 0u);
    EXPECT_EQ(heap.allocate(1, std::uint64_t{1} << 30).bytes, 0u);
    EXPECT_EQ(heap.allocate(0).bytes, RangeHeap::kLine);
}

TEST(Range, ContainsAndOverlaps) {
    const Range range = {100, 10};
    EXPECT_TRUE(range.contains({100, 10}));
    EXPECT_TRUE(range.contains({110, 0}));
    EXPECT_FALSE(range.contains({99, 2}));
    EXPECT_FALSE(range.contains({109, 2}));
    EXPECT_FALSE(range.contains({105, UINT64_MAX}));
    EXPECT_TRUE(range.overlaps({109, 2}));
    EXPECT_FALSE(range.overlaps({110, 2}));
}

Entry entry(Address host, std::uint64_t bytes, Address device) {
    return {{host, bytes}, device, 1, false, false, 0, {}};
}

TEST(Presence, FindsEntriesInAnyOrderOfTheirArrival) {
    Presence presence;
    std::vector<Address> starts;
    for (Address i = 0; i < 200; ++i)
        starts.push_back(1000 + i * 20);
    std::shuffle(starts.begin(), starts.end(), std::mt19937(3));
    for (const Address start : starts)
        presence.add(entry(start, 10, start + 100'000));
    for (const Address start : starts) {
        EXPECT_EQ(presence.overlapping({start + 9, 1})->at(start + 9), start + 100'009);
        EXPECT_EQ(presence.overlapping({start + 10, 10}), nullptr);
        EXPECT_EQ(presence.overlapping({start - 5, 10})->host.address, start);
        EXPECT_EQ(presence.at_or_before(start + 10)->host.address, start);
        EXPECT_EQ(presence.at_or_before(start + 11), nullptr);
    }
    presence.remove(*presence.overlapping({starts[0], 1}));
    EXPECT_EQ(presence.overlapping({starts[0], 1}), nullptr);
    EXPECT_EQ(presence.size(), 199u);
}

TEST(Presence, SlotsGoWithTheirEntry) {
    Presence presence;
    presence.add(entry(1000, 100, 5000));
    presence.add(entry(1100, 100, 6000));
    for (const Address host : {1096u, 1000u, 1100u, 1016u})
        presence.add_slot(host).value = host;
    EXPECT_EQ(presence.slot(1016)->value, 1016u);
    EXPECT_EQ(presence.slot(1017), nullptr);
    std::vector<Address> seen;
    presence.for_slots({1008, 92}, [&](const Slot& slot) { seen.push_back(slot.host); });
    EXPECT_EQ(seen, std::vector<Address>{1016}) << "one slot begins in the range and ends behind it";
    presence.remove(*presence.overlapping({1000, 1}));
    EXPECT_EQ(presence.slot(1016), nullptr);
    EXPECT_NE(presence.slot(1100), nullptr);
}

} // namespace
} // namespace teff::device
