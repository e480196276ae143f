// SPDX-License-Identifier: Apache-2.0
#include "task/depend_table.h"

#include <cerrno>
#include <cstdlib>
#include <new>
#include <utility>

#include "base/report.h"
#include "team/probes.h"

namespace teff::task {

namespace {

template <class Block> Block* take_block(team::Worker& worker) {
    static_assert(sizeof(Block) <= mem::kBlockBytes[static_cast<unsigned>(mem::BlockSize::kRecord)]);
    return static_cast<Block*>(worker.blocks.take(mem::BlockSize::kRecord));
}

void give_back_block(team::Worker& worker, void* block) { worker.blocks.give_back(block, mem::BlockSize::kRecord); }

void drop_mention(team::Worker& worker, DependNode& node) {
    if (--node.mentions == 0) drop_reference(worker, node, DependNode::kHeldByTable);
}

// The first slots of a table are one block, because many tasks name only a few addresses.
constexpr mem::BlockSize kFirstSlots = mem::BlockSize::kBigRecord;
static_assert(static_cast<unsigned>(kFirstSlots) >= mem::kTaskBlockSizes); // thieves may look at freed tasks
static_assert(DependTable::kFirstCapacity * sizeof(DependEntry) <=
              mem::kBlockBytes[static_cast<unsigned>(kFirstSlots)]);

void* take_slots(team::Worker& worker, std::uint32_t capacity) {
    if (capacity == DependTable::kFirstCapacity) return worker.blocks.take(kFirstSlots);
    void* const slots = std::aligned_alloc(alignof(DependEntry), capacity * sizeof(DependEntry));
    if (slots == nullptr) base::fatal(ENOMEM, "no memory for the dependences of %u list items", capacity / 2);
    return slots;
}

// Makes slots that are free. The other fields of an entry are initialised when the entry is taken.
DependEntry* make_entries(team::Worker& worker, std::uint32_t capacity) {
    auto* const entries = static_cast<DependEntry*>(take_slots(worker, capacity));
    for (std::uint32_t i = 0; i < capacity; ++i)
        entries[i].address = nullptr;
    return entries;
}

void free_entries(team::Worker& worker, DependEntry* entries, std::uint32_t capacity) {
    if (capacity == DependTable::kFirstCapacity) worker.blocks.give_back(entries, kFirstSlots);
    else std::free(entries);
}

std::uint32_t hash(void* address) {
    const auto bits = reinterpret_cast<std::uintptr_t>(address);
    return static_cast<std::uint32_t>((bits >> 3) * 0x9e3779b97f4a7c15ull >>
                                      32); // Fibonacci hashing (Knuth, vol. 3, 6.4)
}

void initialise_node(DependNode& node, Task* task, std::uint64_t task_id) {
    node.waiting_for.hold();
    node.references.store(1 + DependNode::kHeldByTable, std::memory_order_relaxed);
    node.successors.open();
    node.task = task;
    node.waiter = nullptr;
    node.task_id = task_id;
    node.mentions = 0;
    node.edges_used = 0;
    node.more_edges = nullptr;
}

// A recording and a tool also get the dependences on finished tasks. So finished tasks stay for a
// while although no task has to wait for them: as long as the table has at most this many slots,
// and the set at most this many mentions. Without these limits, a long run would keep all tasks
// that it ever named.
constexpr std::uint32_t kMostToldOf = 1u << 14; // slots
constexpr std::uint32_t kMostMentionsToldOf = 4096;

bool tells_of_finished(const team::Worker& worker) { return team::traced(worker) || team::observed(worker); }

} // namespace

DependNode& make_node(team::Worker& worker, Task* task, std::uint64_t task_id) {
    auto* node = take_block<DependNode>(worker);
    initialise_node(*node, task, task_id);
    return *node;
}

DependEdge& new_edge(team::Worker& worker, DependNode& node) {
    const std::uint32_t used = node.edges_used++;
    if (TEFF_LIKELY(used < DependNode::kInlineEdges)) return node.edges[used];
    const std::uint32_t index = (used - DependNode::kInlineEdges) % EdgeBlock::kEdges;
    if (index == 0) {
        auto* block = take_block<EdgeBlock>(worker);
        block->next = node.more_edges;
        node.more_edges = block;
    }
    return node.more_edges->edges[index];
}

void free_more_edges(team::Worker& worker, DependNode& node) {
    for (EdgeBlock* block = node.more_edges; block != nullptr;) {
        EdgeBlock* next = block->next;
        give_back_block(worker, block);
        block = next;
    }
    node.more_edges = nullptr;
}

void drop_reference(team::Worker& worker, DependNode& node, std::uint32_t held) {
    if (node.references.fetch_sub(held, std::memory_order_acq_rel) != held) return; // [node-1]
    free_more_edges(worker, node);
    give_back_block(worker, &node);
}

void DependSet::add(team::Worker& worker, DependNode& node) {
    if (TEFF_UNLIKELY(count >= purge_at)) purge(worker);
    ++node.mentions;
    if (count++ == 0) {
        first = &node;
        return;
    }
    const std::uint32_t index = (count - 2) % MentionBlock::kNodes;
    if (index == 0) {
        auto* block = take_block<MentionBlock>(worker);
        block->next = more;
        more = block;
    }
    more->nodes[index] = &node;
}

void DependSet::clear(team::Worker& worker) {
    if (TEFF_LIKELY(count <= 1)) {
        if (count == 1) drop_mention(worker, *first);
        *this = DependSet();
        return;
    }
    for_each([&](DependNode& node) { drop_mention(worker, node); });
    while (more != nullptr) {
        MentionBlock* next = more->next;
        give_back_block(worker, more);
        more = next;
    }
    *this = DependSet();
}

// Puts an unfinished task first, so that the next call finds it at once.
bool DependSet::all_finished(team::Worker& worker) {
    std::uint32_t finished = 0;
    for_each_until([&](DependNode*& node) {
        if (!node->finished()) {
            std::swap(node, first);
            return true;
        }
        ++finished;
        return false;
    });
    const bool all = finished == count;
    if (!all) note_walk(worker, finished, count - finished);
    return all;
}

// Keeps only the unfinished tasks: a set that many readers have joined must not grow with their
// number.
void DependSet::purge(team::Worker& worker) {
    if (tells_of_finished(worker) && count < kMostMentionsToldOf) return void(purge_at = 2 * count);
    DependSet kept;
    kept.kind = kind;
    kept.purge_at = ~0u; // no purge within this purge
    for_each([&](DependNode& node) {
        if (!node.finished()) kept.add(worker, node);
    });
    kept.purge_at = 2 * kept.count + 4 * MentionBlock::kNodes;
    clear(worker);
    *this = kept;
}

DependTable* DependTable::make(team::Worker& worker) {
    auto* table = take_block<DependTable>(worker);
    table->entries_ = make_entries(worker, kFirstCapacity);
    table->capacity_ = kFirstCapacity;
    table->used_ = 0;
    ::new (&table->all_memory_) DependSet;
    return table;
}

void DependTable::clear_entries(team::Worker& worker) {
    for (std::uint32_t i = 0; i < capacity_; ++i) {
        if (entries_[i].address == nullptr) continue;
        entries_[i].current.clear(worker);
        entries_[i].previous.clear(worker);
        entries_[i].address = nullptr;
    }
    used_ = 0;
}

void DependTable::free(team::Worker& worker) {
    clear_entries(worker);
    all_memory_.clear(worker);
    free_entries(worker, entries_, capacity_);
    give_back_block(worker, this);
}

DependEntry& DependTable::slot_of(void* address) {
    std::uint32_t at = hash(address) & (capacity_ - 1);
    while (entries_[at].address != nullptr && entries_[at].address != address)
        at = (at + 1) & (capacity_ - 1);
    return entries_[at];
}

DependEntry* DependTable::find(void* address) {
    DependEntry& entry = slot_of(address);
    return entry.address != nullptr ? &entry : nullptr;
}

void DependTable::write_all_memory(team::Worker& worker, DependNode& node) {
    DependSet superseded = all_memory_;
    all_memory_ = DependSet();
    all_memory_.kind = DependKind::kOut;
    all_memory_.add(worker, node); // added first: an entry may mention the same task, which must
                                   // not lose its last mention
    superseded.clear(worker);
    clear_entries(worker);
    if (capacity_ == kFirstCapacity) return;
    // Makes a new table, so that the next writer of all memory visits only the addresses named from
    // now on, and not all slots that the table once had.
    free_entries(worker, entries_, capacity_);
    entries_ = make_entries(worker, kFirstCapacity);
    capacity_ = kFirstCapacity;
}

// Initialises the entry of an address that no task has named since the last write of all memory.
void DependTable::inherit_all_memory(team::Worker& worker, DependEntry& entry) {
    if (!tells_of_finished(worker) && all_memory_.all_finished(worker)) return all_memory_.clear(worker);
    entry.current.kind = DependKind::kOut;
    entry.current.add(worker, *all_memory_.first);
}

DependEntry& DependTable::entry(team::Worker& worker, void* address) {
    DependEntry* entry = &slot_of(address);
    if (entry->address == address) return *entry;
    if (TEFF_UNLIKELY(2 * (used_ + 1) > capacity_)) {
        make_room(worker);
        entry = &slot_of(address);
    }
    ::new (entry) DependEntry{.address = address, .current = {}, .previous = {}};
    ++used_;
    if (TEFF_UNLIKELY(all_memory_.count != 0)) inherit_all_memory(worker, *entry);
    return *entry;
}

// Drops the entries for which no task can have to wait any more. Doubles the table if more than a
// quarter of the slots are still taken.
void DependTable::make_room(team::Worker& worker) {
    const bool keeps_finished = tells_of_finished(worker) && capacity_ < kMostToldOf;
    std::uint32_t live = 0;
    for (std::uint32_t i = 0; i < capacity_; ++i) {
        DependEntry& entry = entries_[i];
        if (entry.address == nullptr) continue;
        if (!keeps_finished && entry.current.all_finished(worker)) {
            entry.current.clear(worker);
            entry.previous.clear(worker);
            entry.address = nullptr;
        } else {
            ++live;
        }
    }
    DependEntry* const old = entries_;
    const std::uint32_t old_capacity = capacity_;
    if (4 * live > capacity_) capacity_ *= 2;
    entries_ = make_entries(worker, capacity_);
    used_ = live;
    for (std::uint32_t i = 0; i < old_capacity; ++i)
        if (old[i].address != nullptr) slot_of(old[i].address) = old[i];
    free_entries(worker, old, old_capacity);
}

} // namespace teff::task
