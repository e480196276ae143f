// SPDX-License-Identifier: Apache-2.0
#include "task/footprint.h"

#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <vector>

namespace teff::task {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

// `count` nodes in a row: distance 10 to itself, 16 to a neighbour, 22 to all others.
std::unique_ptr<mem::NearNodes> row(unsigned count) {
    auto nodes = std::make_unique<mem::NearNodes>();
    nodes->count = count;
    for (unsigned from = 0; from < count; ++from)
        for (unsigned to = 0; to < count; ++to) {
            const unsigned steps = from < to ? to - from : from - to;
            nodes->distance[from][to] = static_cast<std::uint8_t>(steps == 0 ? 10 : steps == 1 ? 16 : 22);
        }
    return nodes;
}

unsigned home(const std::vector<std::size_t>& bytes, std::size_t least = kMiB) {
    const auto nodes = row(static_cast<unsigned>(bytes.size()));
    return cheapest_home(bytes, *nodes, least);
}

TEST(Footprint, ATaskIsAtHomeWhereMostOfItsBytesLie) {
    EXPECT_EQ(home({0, 4 * kMiB}), 2u);
    EXPECT_EQ(home({3 * kMiB, kMiB, 0, 0}), 1u);
}

TEST(Footprint, InTheMiddleOfItsBytesWhereThatIsNearer) {
    EXPECT_EQ(home({3 * kMiB, 2 * kMiB, 3 * kMiB}), 2u) << "16 x 3 + 10 x 2 + 16 x 3, against 128 at the ends";
    EXPECT_EQ(home({5 * kMiB, 0, 4 * kMiB}), 1u) << "50 + 88, against 80 + 64 in the middle";
}

TEST(Footprint, ASmallOneHasNoHome) {
    EXPECT_EQ(home({0, kMiB - 1}), sched::kNoHome);
    EXPECT_EQ(home({0, kMiB}), 2u);
    EXPECT_EQ(home({0, 0}, 0), sched::kNoHome);
}

TEST(Footprint, OneThatIsSpreadEvenlyHasNoHome) {
    EXPECT_EQ(home({2 * kMiB, 2 * kMiB}), sched::kNoHome);
    EXPECT_EQ(home({2 * kMiB + 4096, 2 * kMiB, 2 * kMiB - 4096}), sched::kNoHome) << "a page more or less";
    EXPECT_EQ(home({9 * kMiB, 8 * kMiB}), sched::kNoHome);
    EXPECT_EQ(home({10 * kMiB, 7 * kMiB}), 1u);
}

// A heap in which each allocation lies on one node.
struct Heap {
    struct Allocation {
        std::uintptr_t begin;
        std::size_t bytes;
        unsigned node;
    };
    std::vector<Allocation> all;

    std::optional<Allocation> find(const void* address) const {
        for (const Allocation& allocation : all)
            if (reinterpret_cast<std::uintptr_t>(address) - allocation.begin < allocation.bytes) return allocation;
        return std::nullopt;
    }
    bool add_bytes_per_node(const void* address, std::size_t bytes, std::span<std::size_t> sums) const {
        sums[find(address)->node] += bytes;
        return true;
    }
};
const Heap kHeap{{{0x10000, 0x4000, 0}, {0x20000, 0x8000, 1}}};

std::vector<std::size_t> bytes_of(const std::vector<std::vector<std::uintptr_t>>& lists) {
    std::vector<std::vector<void*>> addresses;
    std::vector<DependRun> runs;
    for (const auto& list : lists) {
        addresses.emplace_back();
        for (const std::uintptr_t address : list)
            addresses.back().push_back(reinterpret_cast<void*>(address));
    }
    for (const auto& list : addresses)
        runs.push_back({list.data(), static_cast<std::uint32_t>(list.size()), ItemKind::kIn});
    std::vector<std::size_t> sums(2);
    add_depend_bytes(kHeap, {runs.data(), runs.size()}, sums);
    return sums;
}
using Sums = std::vector<std::size_t>;

TEST(Footprint, TheAddressOfAnAllocationStandsForAllOfIt) {
    EXPECT_EQ(bytes_of({{0x10000}, {0x20000}}), (Sums{0x4000, 0x8000}));
    EXPECT_EQ(bytes_of({{0x20000, 0x20000}, {0x20000}}), (Sums{0, 0x8000})) << "once, however often it is named";
}

TEST(Footprint, AnAddressInsideStandsForWhatComesBeforeTheNext) {
    EXPECT_EQ(bytes_of({{0x22000, 0x20000}, {0x21000}}), (Sums{0, 0x2000 + 0x1000}));
    EXPECT_EQ(bytes_of({{0x20000, 0x27000}}), (Sums{0, 0x7000 + 0x1000})) << "no farther than to the end";
}

TEST(Footprint, OneAloneInsideTellsNothing) { EXPECT_EQ(bytes_of({{0x21000}, {0x10000}}), (Sums{0x4000, 0})); }

TEST(Footprint, WhatIsNotOfTheHeapTellsNothing) {
    EXPECT_EQ(bytes_of({{0x5000, 0, 0x14000, 0x28000}}), (Sums{0, 0}));
    EXPECT_EQ(bytes_of({}), (Sums{0, 0}));
}

TEST(Footprint, OfVeryManyItemsTheFirstOnesCount) {
    std::vector<std::uintptr_t> many(detail::kMostItems, 0x10000);
    EXPECT_EQ(bytes_of({many, {0x20000}}), (Sums{0x4000, 0}));
    many.pop_back();
    EXPECT_EQ(bytes_of({many, {0x20000}}), (Sums{0x4000, 0x8000}));
}

} // namespace
} // namespace teff::task
