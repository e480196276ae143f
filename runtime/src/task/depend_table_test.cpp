// SPDX-License-Identifier: Apache-2.0
#include "task/depend_table.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <vector>

namespace teff::task {
namespace {

class DependTableTest : public testing::Test {
  protected:
    DependTableTest() : worker_(std::make_unique<team::Worker>()) {}
    ~DependTableTest() override { worker_->blocks.hand_over_all(); }

    DependNode& make() { return make_node(*worker_, nullptr, ++last_id_); }
    // As release_dependences, but for a task without successors.
    void finish(DependNode& node) {
        EXPECT_EQ(node.successors.close(), nullptr);
        drop_reference(*worker_, node, 1);
    }
    static std::vector<const DependNode*> members(DependSet& set) {
        std::vector<const DependNode*> found;
        set.for_each([&](const DependNode& node) { found.push_back(&node); });
        return found;
    }
    static void* address(std::uintptr_t number) { return reinterpret_cast<void*>(8 * number); }

    std::unique_ptr<team::Worker> worker_;
    std::uint64_t last_id_ = 0;
};

TEST_F(DependTableTest, ASetHoldsWhatWasAdded) {
    DependSet set;
    EXPECT_TRUE(members(set).empty());
    EXPECT_TRUE(set.all_finished(*worker_));
    std::set<const DependNode*> added;
    std::vector<DependNode*> nodes;
    for (std::uint32_t i = 0; i < 60; ++i) { // several blocks of mentions, below the first purge
        nodes.push_back(&make());
        set.add(*worker_, *nodes.back());
        added.insert(nodes.back());
        const auto held = members(set);
        ASSERT_EQ(held.size(), i + 1);
        ASSERT_EQ(std::set<const DependNode*>(held.begin(), held.end()), added);
    }
    EXPECT_FALSE(set.all_finished(*worker_));
    for (DependNode* node : nodes)
        finish(*node);
    EXPECT_TRUE(set.all_finished(*worker_));
    set.clear(*worker_);
    EXPECT_EQ(set.count, 0u);
    EXPECT_TRUE(members(set).empty());
}

TEST_F(DependTableTest, ANodeMentionedTwiceStaysUntilItsLastMention) {
    DependSet first, second;
    DependNode& node = make();
    first.add(*worker_, node);
    second.add(*worker_, node);
    EXPECT_EQ(node.mentions, 2u);
    first.clear(*worker_);
    finish(node);
    EXPECT_TRUE(node.finished()) << "still there, held by the second set";
    EXPECT_EQ(node.mentions, 1u);
    second.clear(*worker_);
    EXPECT_EQ(&make(), &node) << "now its block is free: the next node gets it";
}

TEST_F(DependTableTest, PurgingKeepsTheUnfinished) {
    DependSet set;
    set.kind = DependKind::kIn;
    std::vector<DependNode*> unfinished;
    for (int i = 0; i < 5'000; ++i) {
        DependNode& node = make();
        set.add(*worker_, node);
        if (i % 100 == 0) unfinished.push_back(&node);
        else finish(node);
    }
    const auto held = members(set);
    EXPECT_LT(held.size(), 500u) << "a set must not grow with the number of readers that came and went";
    for (const DependNode* node : unfinished)
        EXPECT_EQ(std::count(held.begin(), held.end(), node), 1);
    EXPECT_EQ(set.kind, DependKind::kIn);
    for (DependNode* node : unfinished)
        finish(*node);
    set.clear(*worker_);
}

TEST_F(DependTableTest, ManyUnfinishedReadersAreAllKept) {
    DependSet set;
    std::vector<DependNode*> nodes;
    for (int i = 0; i < 3'000; ++i) {
        nodes.push_back(&make());
        set.add(*worker_, *nodes.back());
    }
    EXPECT_EQ(members(set).size(), nodes.size());
    for (DependNode* node : nodes)
        finish(*node);
    set.clear(*worker_);
}

TEST_F(DependTableTest, EveryAddressHasItsEntry) {
    constexpr std::uintptr_t kAddresses = 2'000;
    DependTable* table = DependTable::make(*worker_);
    EXPECT_EQ(table->find(address(1)), nullptr);
    std::vector<DependNode*> nodes;
    for (std::uintptr_t i = 1; i <= kAddresses; ++i) {
        DependEntry& entry = table->entry(*worker_, address(i));
        EXPECT_EQ(entry.address, address(i));
        EXPECT_EQ(entry.current.count, 0u);
        nodes.push_back(&make());
        entry.current.add(*worker_, *nodes.back());
    }
    for (std::uintptr_t i = 1; i <= kAddresses; ++i) {
        DependEntry* entry = table->find(address(i));
        ASSERT_NE(entry, nullptr) << "its task has not finished";
        ASSERT_EQ(entry->current.first, nodes[i - 1]);
        ASSERT_EQ(&table->entry(*worker_, address(i)), entry);
    }
    EXPECT_EQ(table->find(address(kAddresses + 1)), nullptr);
    for (DependNode* node : nodes)
        finish(*node);
    table->free(*worker_);
}

TEST_F(DependTableTest, MakingRoomDropsOnlyEntriesWhoseTasksHaveFinished) {
    DependTable* table = DependTable::make(*worker_);
    DependNode& unfinished = make();
    table->entry(*worker_, address(1)).current.add(*worker_, unfinished);
    for (std::uintptr_t i = 2; i <= 10'000; ++i) {
        DependNode& node = make();
        table->entry(*worker_, address(i)).current.add(*worker_, node);
        finish(node);
    }
    DependEntry* kept = table->find(address(1));
    ASSERT_NE(kept, nullptr);
    EXPECT_EQ(kept->current.first, &unfinished);
    EXPECT_EQ(table->find(address(2)), nullptr);
    finish(unfinished);
    table->free(*worker_);
}

TEST_F(DependTableTest, AllMemorySupersedesEveryAddress) {
    DependTable* table = DependTable::make(*worker_);
    DependNode &writer = make(), &everything = make(), &reader = make(), &second = make();
    table->entry(*worker_, address(1)).current.add(*worker_, writer);
    table->entry(*worker_, address(2)).current.add(*worker_, everything); // the address is named by the same construct
    std::set<const DependNode*> waited_for;
    table->for_each_set(
        [&](DependSet& set) { set.for_each([&](const DependNode& node) { waited_for.insert(&node); }); });
    EXPECT_EQ(waited_for, (std::set<const DependNode*>{&writer, &everything}));
    table->write_all_memory(*worker_, everything);
    EXPECT_EQ(table->find(address(1)), nullptr);
    EXPECT_EQ(table->entry(*worker_, address(9)).current.first, &everything);
    EXPECT_EQ(table->entry(*worker_, address(9)).current.kind, DependKind::kOut);
    table->entry(*worker_, address(3)).current.add(*worker_, reader);
    table->write_all_memory(*worker_, second);
    EXPECT_EQ(table->entry(*worker_, address(3)).current.first, &second);
    for (DependNode* node : {&writer, &everything, &reader, &second})
        finish(*node);
    EXPECT_EQ(table->entry(*worker_, address(4)).current.count, 0u) << "whoever wrote all memory has finished";
    table->free(*worker_);
}

// A long sequence of tasks with ever new addresses; only a few tasks are unfinished at any time.
TEST_F(DependTableTest, MemoryFollowsTheUnfinishedTasks) {
    std::size_t after_warm_up = 0;
    DependTable* table = DependTable::make(*worker_);
    std::vector<DependNode*> window;
    for (std::uintptr_t i = 1; i <= 200'000; ++i) {
        DependNode& node = make();
        DependEntry& entry = table->entry(*worker_, address(i));
        entry.previous.clear(*worker_);
        entry.previous = entry.current;
        entry.current = DependSet();
        entry.current.add(*worker_, node);
        window.push_back(&node);
        if (window.size() == 50) {
            for (DependNode* oldest : window)
                finish(*oldest);
            window.clear();
        }
        if (i == 10'000) after_warm_up = mem::block_bytes_mapped();
    }
    EXPECT_EQ(mem::block_bytes_mapped(), after_warm_up);
    for (DependNode* node : window)
        finish(*node);
    table->free(*worker_);
}

// A walk over a set drops its finished members if they are the majority, so they are visited only
// once.
TEST_F(DependTableTest, AWalkDropsFinishedMembersWhenTheyPrevail) {
    constexpr std::uint32_t kFinished = 1'000, kUnfinished = 10;
    DependSet set;
    set.purge_at = ~0u;
    std::vector<DependNode*> nodes;
    for (std::uint32_t i = 0; i < kFinished + kUnfinished; ++i)
        set.add(*worker_, *nodes.emplace_back(&make()));
    set.note_walk(*worker_, 0, kFinished + kUnfinished);
    EXPECT_EQ(set.count, kFinished + kUnfinished);
    for (std::uint32_t i = 0; i < kFinished; ++i)
        finish(*nodes[i]);
    set.note_walk(*worker_, kFinished, kUnfinished);
    EXPECT_EQ(set.count, kUnfinished);
    for (std::uint32_t i = kFinished; i < nodes.size(); ++i)
        finish(*nodes[i]);
    set.clear(*worker_);
}

TEST_F(DependTableTest, AnUnfinishedMemberIsFoundFirstTheNextTime) {
    DependSet set;
    std::vector<DependNode*> nodes;
    for (int i = 0; i < 60; ++i)
        set.add(*worker_, *nodes.emplace_back(&make()));
    for (const unsigned stays : {7u, 31u, 59u}) {
        for (unsigned i = 0; i < stays; ++i)
            if (!nodes[i]->finished()) finish(*nodes[i]);
        EXPECT_FALSE(set.all_finished(*worker_));
        EXPECT_FALSE(set.first->finished());
    }
    finish(*nodes[59]);
    EXPECT_TRUE(set.all_finished(*worker_));
    set.clear(*worker_);
}

TEST_F(DependTableTest, AWriterOfAllMemoryLeavesASmallTable) {
    DependTable* table = DependTable::make(*worker_);
    const std::uint32_t at_first = table->capacity();
    DependNode& node = make();
    for (std::uintptr_t i = 1; i <= 10'000; ++i)
        table->entry(*worker_, address(i)).current.add(*worker_, node);
    EXPECT_GE(table->capacity(), 20'000u);
    DependNode& everything = make();
    table->write_all_memory(*worker_, everything);
    EXPECT_EQ(table->capacity(), at_first);
    finish(node);
    finish(everything);
    table->free(*worker_);
}

TEST_F(DependTableTest, EdgesBeyondTheInlineOnesGetBlocks) {
    DependNode& node = make();
    std::set<DependEdge*> edges;
    for (int i = 0; i < 100; ++i) {
        DependEdge& edge = new_edge(*worker_, node);
        edge = {nullptr, &node};
        EXPECT_TRUE(edges.insert(&edge).second);
    }
    EXPECT_NE(node.more_edges, nullptr);
    free_more_edges(*worker_, node);
    EXPECT_EQ(node.more_edges, nullptr);
    node.references.store(1);
    finish(node);
}

} // namespace
} // namespace teff::task
