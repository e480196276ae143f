// SPDX-License-Identifier: Apache-2.0
//
// The records behind dependences.h: nodes, edges, sets of nodes, and the table. All of them live in
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

// "successor waits for the node in whose list this stands". Owned by the successor's node.
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
    static constexpr std::uint32_t kHeldByTable = 2; // in references; the unfinished task holds 1

    // For a task with one predecessor this and its edge are one cache line.
    PredecessorCount waiting_for; // predecessors not yet finished
    // [node-1] Each holder gives up its part (release); the last one frees the node, and has seen
    //          all (acquire).
    std::atomic<std::uint32_t> references;
    SuccessorList successors; // closed once the task has finished
    Task* task;               // null: `waiter` waits in place
    std::uint64_t task_id;
    std::uint32_t mentions; // in sets; the parent's worker only
    std::uint32_t edges_used;
    EdgeBlock* more_edges;
    DependEdge edges[kInlineEdges];
    team::Context* waiter;
    std::uint64_t tool_data; // a tool's word for the task, which may be asked for as long as the node is mentioned

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

// Tasks that do not depend on each other but all depend on the same earlier ones: one writer, or
// readers, or members of an inoutset.
struct DependSet {
    DependKind kind : 2 = DependKind::kIn;
    std::uint32_t count : 30 = 0;
    std::uint32_t purge_at = 4 * MentionBlock::kNodes; // so many mentions: drop those that have finished
    DependNode* first = nullptr;                       // a set of one needs no block
    MentionBlock* more = nullptr;

    // Whether an item of this kind joins the set instead of waiting for it.
    bool is_joined_by(DependKind other) const { return other != DependKind::kOut && kind == other; }

    void add(team::Worker& worker, DependNode& node);
    void clear(team::Worker& worker);
    // Whether nobody has to wait for this set any more.
    [[nodiscard]] bool all_finished(team::Worker& worker);
    // Drops the finished if a walk over the set has found more finished than unfinished ones. So
    // all walks over finished mentions cost no more than the mentions themselves did.
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
    // Ends when `visit(DependNode*&)` returns true.
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

// What the children of one task have done to one address so far: the current set waits for the
// previous one.
struct alignas(base::kCacheLine) DependEntry {
    void* address = nullptr; // null: free
    DependSet current, previous;
};
static_assert(sizeof(DependEntry) == base::kCacheLine, "a look-up moves one line");

// Open addressing, linear probing, at most half full. Only the parent task's worker touches it.
//
// omp_all_memory is a write to every address there is: what the table knows by then is superseded
// by it, and addresses that come up later begin with it as their last writer.
class DependTable {
  public:
    static constexpr std::uint32_t kFirstCapacity = 16;

    static DependTable* make(team::Worker& worker);
    void free(team::Worker& worker);

    // The entry of `address`, made if need be.
    DependEntry& entry(team::Worker& worker, void* address);
    // The entry of `address`, or null.
    DependEntry* find(void* address);

    // The task of `node` writes all memory, after those whose sets for_each_set has visited.
    TEFF_COLD void write_all_memory(team::Worker& worker, DependNode& node);

    // All tasks that a writer of all memory has to wait for.
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
