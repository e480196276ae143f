// SPDX-License-Identifier: Apache-2.0
#include "task/reduction.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/report.h"
#include "task/task.h"
#include "task/taskgroup.h"
#include "team/team.h"

namespace teff::task {

static_assert(sizeof(Reductions) <= mem::kBlockBytes[static_cast<unsigned>(mem::BlockSize::kRecord)]);

namespace {

// The index of a part is a hash table with one bucket per item. Each item has one word for the
// index, which also stores the bucket of the same number. Items are identified by number, so the
// word holds two numbers: the first item in the bucket that has this item's number, and the next
// item in the bucket that contains this item. Numbers count from 1; 0 means no item.
struct Links {
    std::uint32_t first = 0, next = 0;

    static Links of(const ReductionItem& item) { return std::bit_cast<Links>(item.links); }
    void put(ReductionItem& item) const { item.links = std::bit_cast<std::uintptr_t>(*this); }
};

std::size_t bucket_of(const ReductionPart& part, std::uintptr_t address) {
    const std::uint64_t hash = address * 0x9e37'79b9'7f4a'7c15u >> 32; // Fibonacci hashing
    return hash * part.count >> 32;
}

// Enters the items from the last to the first, so that if two items have the same original, a
// search finds the first of them.
void make_index(const ReductionPart& part) {
    for (std::size_t i = 0; i < part.count; ++i)
        Links{}.put(part.items[i]);
    for (std::size_t i = part.count; i > 0; --i) {
        ReductionItem& item = part.items[i - 1];
        ReductionItem& bucket = part.items[bucket_of(part, item.original)];
        Links links = Links::of(item);
        links.next = Links::of(bucket).first;
        links.put(item);
        links = Links::of(bucket);
        links.first = static_cast<std::uint32_t>(i);
        links.put(bucket);
    }
}

struct Found {
    const ReductionPart* part = nullptr;
    std::uintptr_t offset = 0; // from the beginning of one thread's copies
    std::uintptr_t original = 0;
};

bool find_original(const ReductionPart& part, std::uintptr_t address, Found& found) {
    if (part.count == 0) return false;
    std::uint32_t number = Links::of(part.items[bucket_of(part, address)]).first;
    for (; number != 0; number = Links::of(part.items[number - 1]).next) {
        const ReductionItem& item = part.items[number - 1];
        if (item.original != address) continue;
        found = {&part, item.offset, address};
        return true;
    }
    return false;
}

std::uintptr_t original_at(const ReductionPart& part, std::uintptr_t offset) {
    const ReductionItem* const end = part.items + part.count;
    const ReductionItem* const item =
        std::lower_bound(static_cast<const ReductionItem*>(part.items), end, offset,
                         [](const ReductionItem& before, std::uintptr_t wanted) { return before.offset < wanted; });
    return item != end && item->offset == offset ? item->original : 0;
}

bool find_copy_in(const ReductionPart& part, std::uintptr_t address, Found& found) {
    const auto copies = reinterpret_cast<std::uintptr_t>(part.copies);
    if (address < copies || address >= reinterpret_cast<std::uintptr_t>(part.copies_of(part.threads))) return false;
    const std::uintptr_t offset = (address - copies) % part.bytes;
    found = {&part, offset, original_at(part, offset)};
    return true;
}

Found find(const Reductions* reductions, void* pointer) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    Found found;
    for (const Reductions* at = reductions; at != nullptr; at = at->next)
        if (find_original(at->part, address, found)) return found;
    for (const Reductions* at = reductions; at != nullptr; at = at->next)
        if (find_copy_in(at->part, address, found)) return found;
    base::fatal(0, "in_reduction: no enclosing taskgroup or construct has a task reduction for the list item at %p",
                pointer);
}

} // namespace

char* allocate_copies(std::size_t bytes, std::size_t align, unsigned threads) {
    align = std::max(align, sizeof(void*));
    const std::size_t whole = (bytes * threads + align - 1) / align * align;
    void* const copies = std::aligned_alloc(align, whole);
    if (copies == nullptr)
        base::fatal(ENOMEM, "no memory for %zu bytes of reduction copies for %u threads", whole, threads);
    return static_cast<char*>(std::memset(copies, 0, whole));
}

Reductions& register_part(team::Worker& worker, Taskgroup& group, const ReductionPart& part, Reductions* before) {
    make_index(part);
    Reductions*& link = before != nullptr ? before->next : group.reductions;
    auto* const record = static_cast<Reductions*>(worker.blocks.take(mem::BlockSize::kRecord));
    *record = {part, link};
    link = record;
    return *record;
}

void forget_reductions(team::Worker& worker, Taskgroup& group) {
    const Reductions* const outer = group.outer != nullptr ? group.outer->reductions : nullptr;
    while (group.reductions != outer) {
        Reductions* const record = group.reductions;
        group.reductions = record->next;
        worker.blocks.give_back(record, mem::BlockSize::kRecord);
    }
}

ReductionCopy find_copy(team::Worker& worker, void* address) {
    const Taskgroup* const group = worker.task->group;
    const Found found = find(group != nullptr ? group->reductions : nullptr, address);
    return {found.part->copies_of(worker.member->number) + found.offset, reinterpret_cast<void*>(found.original),
            found.part};
}

Taskgroup& begin_worksharing_group(team::Worker& worker) {
    taskgroup_begin(worker, {});
    Taskgroup& group = *worker.task->group.get();
    group.for_worksharing = true;
    return group;
}

} // namespace teff::task
