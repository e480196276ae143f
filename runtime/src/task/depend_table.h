// SPDX-License-Identifier: Apache-2.0
//
// The records behind dependences.h: nodes, edges, sets of nodes, and the table. All records live in
// blocks of the BlockCache.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "task/successor_list.h"
#include "task/task.h"
#include "team/worker.h"

namespace teff::task {

struct DependNode;

// Records that `successor` waits for the node whose list contains this edge. The successor's node
// owns the edge.
struct DependEdge {
    DependEdge* next;
    DependNode* successor;
};

using SuccessorList = SuccessorListOver<base::RealAtomics, DependEdge>;

struct EdgeBlock {
    static constexpr unsigned kEdges = 11;
    EdgeBlock* next;
    DependEdge edges[kEdges];
};

struct DependNode {
    static constexpr unsigned kInlineEdges = 8;
    // The share of `references` that the table holds. The unfinished task holds 1.
    static constexpr std::uint32_t kHeldByTable = 2;

    // The fields up to the first edge lie on one cache line: enough for a task with one
    // predecessor.
    PredecessorCount waiting_for; // counts the predecessors that have not finished
    // [node-1] Each holder gives up its share (release). The last holder frees the node, and has
    //          seen the effects of all others (acquire).
    std::atomic<std::uint32_t> references;
    SuccessorList successors; // closed once the task has finished
    Task* task;               // null: a task waits in place, on `waiter`
    std::uint64_t task_id;
    // The number of mentions of this node in sets. Accessed by the parent's worker only.
    std::uint32_t mentions;
    std::uint32_t edges_used;
    EdgeBlock* more_edges;
    DependEdge edges[kInlineEdges];
    team::Context* waiter;
    // A tool's word for the task. The tool may ask for it as long as a set mentions the node.
    std::uint64_t tool_data;

    bool finished() const { return successors.closed(); }
};

static_assert(sizeof(DependNode) <= 192 && sizeof(EdgeBlock) <= 192);
static_assert(offsetof(DependNode, edges) + sizeof(DependEdge) <= base::kCacheLine);

DependNode& make_node(team::Worker& worker, Task* task, std::uint64_t task_id);
DependEdge& new_edge(team::Worker& worker, DependNode& node);
void free_more_edges(team::Worker& worker, DependNode& node);
void drop_reference(team::Worker& worker, DependNode& node, std::uint32_t held);

enum class DependKind : std::uint32_t { kIn, kOut, kInoutset };

struct MentionBlock {
    static constexpr unsigned kNodes = 22;
    MentionBlock* next;
    DependNode* nodes[kNodes];
};
static_assert(sizeof(MentionBlock) <= 192);

// A set of tasks that do not depend on each other but all depend on the same earlier tasks: one
// writer, or readers, or members of an inoutset.
struct DependSet {
    DependKind kind : 2 = DependKind::kIn;
    std::uint32_t count : 30 = 0;
    std::uint32_t purge_at = 4 * MentionBlock::kNodes; // at this count add() drops the finished tasks
    DependNode* first = nullptr;                       // a set of one needs no block
    MentionBlock* more = nullptr;

    // Returns true if an item of kind `other` joins the set instead of waiting for the set.
    bool is_joined_by(DependKind other) const { return other != DependKind::kOut && kind == other; }

    void add(team::Worker& worker, DependNode& node);
    void clear(team::Worker& worker);
    // Returns true if no task has to wait for this set any more.
    [[nodiscard]] bool all_finished(team::Worker& worker);
    // Called after a walk over the set. Drops the finished tasks if the walk has found more
    // finished than unfinished tasks. So the total cost of walking over finished mentions never
    // exceeds the cost of adding the mentions.
    void note_walk(team::Worker& worker, std::uint32_t finished, std::uint32_t unfinished) {
        if (TEFF_UNLIKELY(finished > unfinished && finished >= MentionBlock::kNodes)) purge(worker);
    }

    template <class Visit> void for_each(Visit&& visit) {
        for_each_until([&](DependNode* node) {
            visit(*node);
            return false;
        });
    }

  private:
    // Visits each node. Ends early when `visit(DependNode*&)` returns true.
    template <class Visit> void for_each_until(Visit&& visit) {
        if (count == 0 || visit(first)) return;
        std::uint32_t in_block = (count - 1) % MentionBlock::kNodes;
        if (in_block == 0) in_block = MentionBlock::kNodes;
        for (MentionBlock* block = more; block != nullptr; block = block->next, in_block = MentionBlock::kNodes)
            for (std::uint32_t i = 0; i < in_block; ++i)
                if (visit(block->nodes[i])) return;
    }
    void purge(team::Worker& worker);
};

// The accesses to one address by the children of one task so far. The tasks of `current` wait for
// the tasks of `previous`.
struct alignas(base::kCacheLine) DependEntry {
    void* address = nullptr; // null: the entry is free
    DependSet current, previous;
};
static_assert(sizeof(DependEntry) == base::kCacheLine, "a look-up moves one line");

// A hash table with open addressing and linear probing, at most half full. Used by the parent
// task's worker only.
//
// omp_all_memory is a write to every address. It supersedes the table's contents at that time;
// addresses that first appear later begin with the writer of all memory as their last writer.
class DependTable {
  public:
    static constexpr std::uint32_t kFirstCapacity = 16;

    static DependTable* make(team::Worker& worker);
    void free(team::Worker& worker);

    // Returns the entry of `address`; makes the entry if there is none.
    DependEntry& entry(team::Worker& worker, void* address);
    // Returns the entry of `address`, or null.
    DependEntry* find(void* address);

    // Enters the task of `node` as the writer of all memory. The task follows all tasks whose sets
    // for_each_set has visited.
    TEFF_COLD void write_all_memory(team::Worker& worker, DependNode& node);

    // Visits the sets of all tasks that a writer of all memory has to wait for.
    template <class Visit> void for_each_set(Visit&& visit) {
        visit(all_memory_);
        for (std::uint32_t i = 0; i < capacity_; ++i)
            if (entries_[i].address != nullptr) visit(entries_[i].current);
    }

    std::uint32_t capacity() const { return capacity_; }

  private:
    DependEntry& slot_of(void* address);
    void make_room(team::Worker& worker);
    void clear_entries(team::Worker& worker);
    TEFF_COLD void inherit_all_memory(team::Worker& worker, DependEntry& entry);

    DependEntry* entries_;
    std::uint32_t capacity_; // a power of two
    std::uint32_t used_;
    DependSet all_memory_; // the last task that wrote all memory, or empty
};

} // namespace teff::task
