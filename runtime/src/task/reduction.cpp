// SPDX-License-Identifier: Apache-2.0
#include "task/reduction.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "base/report.h"
#include "task/task.h"
#include "task/taskgroup.h"
#include "team/team.h"

namespace teff::task {

namespace {

// GCC's words, by name.
enum Word : unsigned { kItems = 0, kBytes = 1, kBase = 2, kNext = 4, kFirstOfConstruct = 5, kEnd = 6, kFirstItem = 7 };
enum ItemWord : unsigned { kOriginal = 0, kOffset = 1, kLinks = 2, kItemWords = 3 };

std::uintptr_t* next_block(const std::uintptr_t* block) { return reinterpret_cast<std::uintptr_t*>(block[kNext]); }
const std::uintptr_t* item(const std::uintptr_t* block, std::size_t index) {
    return block + kFirstItem + index * kItemWords;
}
std::uintptr_t* item(std::uintptr_t* block, std::size_t index) { return block + kFirstItem + index * kItemWords; }

// A block's index is a hash table with a bucket for each item, which lies in the word that each
// item has for us. As items are found by number, the word has room for two: the first item of the
// bucket with this number, and the next one in the bucket that this item is in. Numbers count from
// 1; 0: none.
struct Links {
    std::uint32_t first = 0, next = 0;

    static Links of(const std::uintptr_t* item) { return std::bit_cast<Links>(item[kLinks]); }
    void put(std::uintptr_t* item) const { item[kLinks] = std::bit_cast<std::uintptr_t>(*this); }
};

std::size_t bucket_of(const std::uintptr_t* block, std::uintptr_t address) {
    const std::uint64_t hash = address * 0x9e37'79b9'7f4a'7c15u >> 32; // Fibonacci hashing
    return hash * block[kItems] >> 32;
}

// From the last item to the first: of two with the same original, the first is found.
void make_index(std::uintptr_t* block) {
    for (std::size_t i = 0; i < block[kItems]; ++i)
        Links{}.put(item(block, i));
    for (std::size_t i = block[kItems]; i > 0; --i) {
        std::uintptr_t* bucket = item(block, bucket_of(block, item(block, i - 1)[kOriginal]));
        Links links = Links::of(item(block, i - 1));
        links.next = Links::of(bucket).first;
        links.put(item(block, i - 1));
        links = Links::of(bucket);
        links.first = static_cast<std::uint32_t>(i);
        links.put(bucket);
    }
}

void allocate_copies(std::uintptr_t* block, unsigned threads) {
    const std::size_t align = std::max<std::size_t>(block[kBase], sizeof(void*));
    const std::size_t bytes = (block[kBytes] * threads + align - 1) / align * align;
    void* copies = std::aligned_alloc(align, bytes);
    if (copies == nullptr)
        base::fatal(ENOMEM, "no memory for %zu bytes of reduction copies for %u threads", bytes, threads);
    std::memset(copies, 0, bytes);
    block[kBase] = reinterpret_cast<std::uintptr_t>(copies);
    block[kEnd] = block[kBase] + block[kBytes] * threads;
}

// Fills in one construct's blocks, from `first`'s copies if given, and chains them before `outer`.
void fill_in(std::uintptr_t* blocks, std::uintptr_t* first, std::uintptr_t* outer, unsigned threads) {
    for (std::uintptr_t* block = blocks;; block = next_block(block)) {
        if (first == nullptr) {
            allocate_copies(block, threads);
        } else {
            block[kBase] = first[kBase];
            block[kEnd] = first[kEnd];
            first = next_block(first);
        }
        block[kFirstOfConstruct] = block == blocks;
        make_index(block);
        if (block[kNext] != 0) continue;
        block[kNext] = reinterpret_cast<std::uintptr_t>(outer);
        return;
    }
}

struct Found {
    const std::uintptr_t* block = nullptr;
    std::uintptr_t offset = 0; // in one thread's copies
    std::uintptr_t original = 0;
};

bool find_original(const std::uintptr_t* block, std::uintptr_t address, Found& found) {
    if (block[kItems] == 0) return false;
    std::uint32_t number = Links::of(item(block, bucket_of(block, address))).first;
    for (; number != 0; number = Links::of(item(block, number - 1)).next) {
        const std::uintptr_t* at = item(block, number - 1);
        if (at[kOriginal] != address) continue;
        found = {block, at[kOffset], address};
        return true;
    }
    return false;
}

// Items stand by offset.
std::uintptr_t original_at(const std::uintptr_t* block, std::uintptr_t offset) {
    std::size_t low = 0, high = block[kItems];
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (item(block, middle)[kOffset] < offset) low = middle + 1;
        else high = middle;
    }
    return low < block[kItems] && item(block, low)[kOffset] == offset ? item(block, low)[kOriginal] : 0;
}

bool find_copy(const std::uintptr_t* block, std::uintptr_t address, Found& found) {
    if (address < block[kBase] || address >= block[kEnd]) return false;
    const std::uintptr_t offset = (address - block[kBase]) % block[kBytes];
    found = {block, offset, original_at(block, offset)};
    return true;
}

Found find(const std::uintptr_t* blocks, void* pointer) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    Found found;
    for (const std::uintptr_t* block = blocks; block != nullptr; block = next_block(block))
        if (find_original(block, address, found)) return found;
    for (const std::uintptr_t* block = blocks; block != nullptr; block = next_block(block))
        if (find_copy(block, address, found)) return found;
    base::fatal(0, "in_reduction: no enclosing taskgroup or construct has a task reduction for the list item at %p",
                pointer);
}

} // namespace

void register_reductions(team::Worker& worker, std::uintptr_t* blocks) {
    Taskgroup& group = *worker.task->group.get();
    fill_in(blocks, nullptr, group.reductions, worker.member->team->size);
    group.reductions = blocks;
}

void free_reductions(std::uintptr_t* blocks) {
    std::uintptr_t* block = blocks;
    do {
        std::free(reinterpret_cast<void*>(block[kBase]));
        block = next_block(block);
    } while (block != nullptr && block[kFirstOfConstruct] == 0);
}

void allocate_reductions(std::uintptr_t* blocks, unsigned threads) { fill_in(blocks, nullptr, nullptr, threads); }

void register_worksharing(team::Worker& worker, std::uintptr_t* blocks, std::uintptr_t* first) {
    taskgroup_begin(worker, {});
    Taskgroup& group = *worker.task->group.get();
    group.for_worksharing = true;
    fill_in(blocks, first, group.reductions, worker.member->team->size);
    group.reductions = blocks;
}

std::uintptr_t* end_worksharing(team::Worker& worker, base::CallSite site) {
    std::uintptr_t* const blocks = worker.task->group->reductions;
    taskgroup_end(worker, site);
    return blocks;
}

void remap_reductions(team::Worker& worker, std::size_t count, std::size_t with_original, void** pointers) {
    const Taskgroup* group = worker.task->group;
    const std::uintptr_t thread = worker.member->number;
    for (std::size_t i = 0; i < count; ++i) {
        const Found found = find(group != nullptr ? group->reductions : nullptr, pointers[i]);
        pointers[i] = reinterpret_cast<void*>(found.block[kBase] + thread * found.block[kBytes] + found.offset);
        if (i < with_original) pointers[count + i] = reinterpret_cast<void*>(found.original);
    }
}

} // namespace teff::task
