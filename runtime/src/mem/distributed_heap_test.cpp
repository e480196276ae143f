// SPDX-License-Identifier: Apache-2.0
#include "mem/distributed_heap.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "base/listener.h"
#include "base/standard_error.h"
#include "icv/icv.h"

namespace teff::mem {
namespace {

// A system of four nodes with gaps between their numbers. It gives real memory, and records the
// requests.
class FakeSystem final : public System {
  public:
    struct Bound {
        Policy policy;
        std::vector<unsigned> nodes;
        std::size_t bytes;
        bool operator==(const Bound&) const = default;
    };

    long bind(Range range, Policy policy, const NodeMask& mask) const override {
        if (answer != 0) return answer;
        Bound bound{policy, {}, range.bytes};
        for (unsigned number = 0; number < topo::NumaNodes::kMostNumber; ++number)
            if (mask.has(number)) bound.nodes.push_back(number);
        asked.push_back(bound);
        return 0;
    }
    long forbid_huge_pages(Range) const override {
        ++small_pages;
        return -EINVAL; // as from a kernel without huge pages
    }
    void* map(std::size_t bytes) const override {
        if (full) return nullptr;
        void* const memory = real_system().map(bytes);
        if (memory != nullptr) mapped += bytes;
        return memory;
    }
    void unmap(Range range) const override {
        mapped -= range.bytes;
        real_system().unmap(range);
    }
    long node_of_caller() const override { return caller; }
    long node_of_page(void*) const override { return first_page; }

    mutable std::vector<Bound> asked;
    mutable std::size_t mapped = 0;
    mutable int small_pages = 0;
    long answer = 0;
    bool full = false;
    long caller = 33, first_page = 2;
};

FakeSystem* fake = nullptr;
Nodes* fake_nodes = nullptr;

class Heap : public testing::Test {
  protected:
    Heap() {
        fake = &system;
        fake_nodes = &nodes;
        nodes.count = 0;
        for (const unsigned number : {0u, 2u, 33u, 72u})
            nodes.add(number);
    }
    ~Heap() override { EXPECT_EQ(system.mapped, 0u) << "something was not given back"; }

    void* allocate(unsigned number, std::size_t bytes, std::size_t alignment = 1, std::uint32_t part_pages = 1) {
        return heap.allocate(distribution(number), alignment, bytes, part_pages);
    }
    std::vector<std::size_t> bytes_per_node(const void* address, std::size_t bytes) {
        std::vector<std::size_t> sums(nodes.count);
        return heap.add_bytes_per_node(address, bytes, sums) ? sums : std::vector<std::size_t>();
    }

    FakeSystem system;
    Nodes nodes;
    DistributedHeap heap{[]() -> const System& { return *fake; }, []() -> const Nodes& { return *fake_nodes; }};
};

using Sums = std::vector<std::size_t>;
using Bound = FakeSystem::Bound;

TEST_F(Heap, FineInterleavesOverAllNodes) {
    EXPECT_FALSE(heap.was_used());
    auto* const memory = static_cast<char*>(allocate(kFine, 10 * kPageBytes - 100));
    ASSERT_NE(memory, nullptr);
    EXPECT_TRUE(heap.was_used());
    EXPECT_EQ(system.asked, (std::vector<Bound>{{Policy::interleave, {0, 2, 33, 72}, 10 * kPageBytes}}));
    EXPECT_EQ(system.small_pages, 1);
    for (std::size_t page = 0; page < 9; ++page) {
        Sums expected(4);
        expected[(1 + page) % 4] = kPageBytes; // the first page is on node 2
        EXPECT_EQ(bytes_per_node(memory + page * kPageBytes, kPageBytes), expected) << page;
    }
    const Sums all = bytes_per_node(memory, ~std::size_t{0});
    EXPECT_EQ(all[0] + all[1] + all[2] + all[3], 10 * kPageBytes - 100);
    EXPECT_TRUE(heap.free(memory));
}

TEST_F(Heap, FineInPartsGivesEachNodeAPartInItsTurn) {
    EXPECT_TRUE(heap.free(allocate(kCoarse, kPageBytes))); // uses up a turn
    system.asked.clear();
    auto* const memory = static_cast<char*>(allocate(kFine, 11 * kPageBytes - 100, 1, 3));
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(system.asked, (std::vector<Bound>{{Policy::preferred, {2}, 3 * kPageBytes},
                                                {Policy::preferred, {33}, 3 * kPageBytes},
                                                {Policy::preferred, {72}, 3 * kPageBytes},
                                                {Policy::preferred, {0}, 2 * kPageBytes}}));
    EXPECT_EQ(system.small_pages, 0) << "no page lies in two parts";
    for (std::size_t page = 0; page < 10; ++page) {
        Sums expected(4);
        expected[(1 + page / 3) % 4] = kPageBytes;
        EXPECT_EQ(bytes_per_node(memory + page * kPageBytes, kPageBytes), expected) << page;
    }
    EXPECT_EQ(bytes_per_node(memory + kPageBytes, 10 * kPageBytes),
              (Sums{2 * kPageBytes - 100, 2 * kPageBytes, 3 * kPageBytes, 3 * kPageBytes}));
    EXPECT_TRUE(heap.free(memory));
}

TEST_F(Heap, PartsAreFewEnoughForTheProcesssMappings) {
    void* const memory = allocate(kFine, 5000 * kPageBytes, 1, 2);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(system.asked.size(), 500u);
    EXPECT_EQ(system.asked[0].bytes, 10 * kPageBytes);
    EXPECT_TRUE(heap.free(memory));
    system.asked.clear();
    void* const one_part = allocate(kFine, 3 * kPageBytes, 1, ~std::uint32_t{0});
    EXPECT_EQ(system.asked.size(), 1u);
    EXPECT_TRUE(heap.free(one_part));
}

TEST_F(Heap, FineIsNotKnownWhereTheFirstPageIsNot) {
    for (const long nowhere : {long{7}, long{-EPERM}}) {
        system.first_page = nowhere;
        void* const memory = allocate(kFine, 2 * kPageBytes);
        ASSERT_NE(memory, nullptr);
        EXPECT_EQ(bytes_per_node(memory, 1), Sums());
        EXPECT_TRUE(heap.free(memory));
    }
}

TEST_F(Heap, BytesOfAPartAreThoseOfItsPagesCountedOneByOne) {
    const std::size_t bytes = 23 * kPageBytes;
    for (const unsigned number : {kFine, kCoarse, kBlocked, kNearest, kFine + 100}) { // the last one: in parts
        auto* const memory = static_cast<char*>(number < 100 ? allocate(number, bytes) : allocate(kFine, bytes, 1, 2));
        ASSERT_NE(memory, nullptr);
        for (std::size_t begin = 0; begin < bytes; begin += 3001) {
            for (std::size_t end = begin + 1; end <= bytes; end += 7919) {
                Sums expected(4);
                for (std::size_t at = begin; at < end;) {
                    const std::size_t stop = std::min(end, (at / kPageBytes + 1) * kPageBytes);
                    const Sums one = bytes_per_node(memory + at, 1);
                    for (unsigned node = 0; node < 4; ++node)
                        expected[node] += one[node] * (stop - at);
                    at = stop;
                }
                ASSERT_EQ(bytes_per_node(memory + begin, end - begin), expected)
                    << number << " " << begin << " " << end;
            }
        }
        EXPECT_TRUE(heap.free(memory));
    }
}

TEST_F(Heap, CoarseGoesFromNodeToNode) {
    std::vector<void*> memory;
    for (unsigned i = 0; i < 6; ++i) {
        memory.push_back(allocate(kCoarse, 2 * kPageBytes));
        Sums expected(4);
        expected[i % 4] = 2 * kPageBytes;
        EXPECT_EQ(bytes_per_node(memory.back(), 2 * kPageBytes), expected) << i;
        EXPECT_EQ(system.asked.back(), (Bound{Policy::preferred, {nodes.number[i % 4]}, 2 * kPageBytes}));
    }
    for (void* one : memory)
        EXPECT_TRUE(heap.free(one));
}

TEST_F(Heap, BlockedGivesEachNodeAPart) {
    void* const memory = allocate(kBlocked, 9 * kPageBytes); // parts of 3, 3, 3 and 0 pages
    EXPECT_EQ(bytes_per_node(memory, 9 * kPageBytes), (Sums{3 * kPageBytes, 3 * kPageBytes, 3 * kPageBytes, 0}));
    EXPECT_EQ(system.asked, (std::vector<Bound>{{Policy::preferred, {0}, 3 * kPageBytes},
                                                {Policy::preferred, {2}, 3 * kPageBytes},
                                                {Policy::preferred, {33}, 3 * kPageBytes}}));
    EXPECT_TRUE(heap.free(memory));
}

TEST_F(Heap, NearestIsTheCallersNode) {
    void* const memory = allocate(kNearest, kPageBytes);
    EXPECT_EQ(bytes_per_node(memory, kPageBytes), (Sums{0, 0, kPageBytes, 0}));
    EXPECT_TRUE(heap.free(memory));
    system.caller = 5; // a node without memory
    void* const other = allocate(kNearest, kPageBytes);
    ASSERT_NE(other, nullptr);
    EXPECT_EQ(bytes_per_node(other, kPageBytes), Sums());
    EXPECT_TRUE(heap.free(other));
}

TEST_F(Heap, WhatCannotBeDistributedIsLeftToTheCLibrary) {
    EXPECT_EQ(allocate(kFine, kPageBytes - 1), nullptr);
    EXPECT_EQ(allocate(kFine, 0), nullptr);
    EXPECT_EQ(allocate(kStandard, 1 << 20), nullptr);
    EXPECT_EQ(allocate(kFine, ~std::size_t{0}), nullptr);
    EXPECT_EQ(allocate(kFine, ~std::size_t{0} / 2), nullptr);
    system.full = true;
    EXPECT_EQ(allocate(kFine, kPageBytes), nullptr);
    system.full = false;
    nodes.count = 1;
    EXPECT_EQ(allocate(kFine, kPageBytes), nullptr);
    int other = 0;
    EXPECT_FALSE(heap.free(&other));
    EXPECT_FALSE(heap.free(nullptr));
}

TEST_F(Heap, AlignmentHoldsAndWhatIsTooMuchIsGivenBack) {
    for (std::size_t alignment = 1; alignment <= std::size_t{1} << 22; alignment *= 4) {
        void* const memory = allocate(kCoarse, 5 * kPageBytes, alignment);
        ASSERT_NE(memory, nullptr);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % alignment, 0u);
        EXPECT_EQ(system.mapped, 5 * kPageBytes);
        std::memset(memory, 1, 5 * kPageBytes);
        EXPECT_TRUE(heap.free(memory));
    }
    EXPECT_EQ(allocate(kCoarse, kPageBytes, std::size_t{1} << 63), nullptr);
}

TEST_F(Heap, ARefusalIsSaidOnceAndEndsTheDistribution) {
    system.answer = -EPERM;
    base::Listener listener;
    base::note_standard_error();
    void* const memory = allocate(kFine, kPageBytes);
    ASSERT_NE(memory, nullptr); // already mapped: the kernel decides where it lies
    EXPECT_EQ(bytes_per_node(memory, 1), Sums());
    EXPECT_EQ(allocate(kFine, kPageBytes), nullptr);
    const std::string words = listener.heard();
    EXPECT_NE(words.find("refuses to spread memory"), std::string::npos) << words;
    EXPECT_EQ(std::count(words.begin(), words.end(), '\n'), 1);
    EXPECT_TRUE(heap.free(memory));
}

TEST_F(Heap, AFullTableOfMappingsIsSaidOnceAndTriedAgain) {
    system.answer = -ENOMEM;
    base::Listener listener;
    base::note_standard_error();
    void* const first = allocate(kCoarse, kPageBytes);
    void* const second = allocate(kCoarse, kPageBytes);
    const std::string words = listener.heard();
    EXPECT_NE(words.find("vm.max_map_count"), std::string::npos) << words;
    EXPECT_EQ(std::count(words.begin(), words.end(), '\n'), 1);
    system.answer = 0;
    void* const third = allocate(kCoarse, kPageBytes);
    EXPECT_EQ(bytes_per_node(third, 1).size(), 4u);
    for (void* memory : {first, second, third})
        EXPECT_TRUE(heap.free(memory));
}

TEST_F(Heap, ThousandsOfAllocationsAreToldApart) {
    std::vector<char*> memory;
    for (std::size_t i = 0; i < 3000; ++i) {
        memory.push_back(static_cast<char*>(allocate(kCoarse, (1 + i % 3) * kPageBytes)));
        std::memset(memory.back(), static_cast<int>(i), (1 + i % 3) * kPageBytes);
    }
    for (std::size_t i = 0; i < memory.size(); ++i) {
        EXPECT_EQ(heap.size_of(memory[i]), (1 + i % 3) * kPageBytes);
        EXPECT_EQ(heap.find(memory[i] + kPageBytes - 1)->begin, reinterpret_cast<std::uintptr_t>(memory[i]));
        EXPECT_FALSE(heap.size_of(memory[i] + 1));
        EXPECT_EQ(static_cast<unsigned char>(memory[i][kPageBytes - 1]), i % 256);
    }
    for (char* one : memory)
        EXPECT_TRUE(heap.free(one));
    EXPECT_FALSE(heap.find(memory[7]));
}

TEST_F(Heap, AForkedChildKeepsAllocationsAndCanFreeThem) {
    void* const memory = allocate(kFine, kPageBytes);
    const pid_t child = fork();
    if (child == 0) {
        heap.forget_other_threads();
        const bool fine = heap.size_of(memory) == kPageBytes && heap.free(memory) && allocate(kFine, 8192) != nullptr;
        _exit(fine ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(heap.free(memory));
}

TEST(ThreadNodes, AreThoseOfTheProcess) {
    const Nodes nodes = thread_nodes(), &all = process_nodes();
    ASSERT_EQ(nodes.count, all.count);
    EXPECT_EQ(nodes.number, all.number);
    EXPECT_EQ(nodes.mask.words, all.mask.words);
}

TEST(ProcessNodes, FollowTheMachineTheCpusetAndThePolicy) {
    topo::NumaNodes machine;
    machine.count = 3;
    machine.number = {0, 4, 9};
    const auto mask = [](std::initializer_list<unsigned> numbers) {
        NodeMask result;
        for (const unsigned number : numbers)
            result.add(number);
        return result;
    };
    const auto usable = [&](const NodeMask& allowed, Policy policy, const NodeMask& named) {
        const Nodes nodes = usable_nodes(machine, {allowed, policy, named});
        std::vector<unsigned> numbers(nodes.number.begin(), nodes.number.begin() + nodes.count);
        for (const unsigned number : numbers)
            EXPECT_TRUE(nodes.mask.has(number));
        return numbers;
    };
    using Numbers = std::vector<unsigned>;
    EXPECT_EQ(usable(mask({0, 4, 9}), Policy::standard, {}), (Numbers{0, 4, 9}));
    EXPECT_EQ(usable(mask({0, 4, 9, 11}), Policy::standard, {}), (Numbers{0, 4, 9}));
    EXPECT_EQ(usable(mask({0, 9}), Policy::standard, {}), (Numbers{0, 9}));
    EXPECT_EQ(usable(mask({0, 4, 9}), Policy::bind, mask({4})), (Numbers{4}));
    EXPECT_EQ(usable(mask({0, 4}), Policy::interleave, mask({4, 9})), (Numbers{4}));
    EXPECT_EQ(usable(mask({0, 4, 9}), Policy::preferred, mask({4})), (Numbers{0, 4, 9}));
    EXPECT_EQ(usable({}, Policy::standard, {}), (Numbers{0})); // the system does not report any nodes
}

TEST(ProcessNodes, ThisProcessHasSome) {
    EXPECT_GE(process_nodes().count, 1u);
    EXPECT_GE(topo::numa_nodes().count, process_nodes().count);
}

// The real kernel accepts the requests, as far as the machine has nodes for them.
TEST(RealSystem, BindsAMappingToItsNodes) {
    const Range range = {real_system().map(4 * kPageBytes), 4 * kPageBytes};
    ASSERT_NE(range.begin, nullptr);
    for (unsigned number = 1; number < std::size(icv::kDistributions); ++number) {
        const Placed placed = distribution(number).place(real_system(), process_nodes(), range, {});
        EXPECT_TRUE(placed.error == 0 || placed.error == -EPERM || placed.error == -ENOSYS) << number;
    }
    std::memset(range.begin, 1, range.bytes);
    real_system().unmap(range);
}

} // namespace
} // namespace teff::mem
