// SPDX-License-Identifier: Apache-2.0
#include "task/reduction.h"

#include <algorithm>
#include <cerrno>
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
enum ItemWord : unsigned { kOriginal = 0, kOffset = 1, kItemWords = 3 };

std::uintptr_t* next_block(const std::uintptr_t* block) { return reinterpret_cast<std::uintptr_t*>(block[kNext]); }
const std::uintptr_t* item(const std::uintptr_t* block, std::size_t index) {
    return block + kFirstItem + index * kItemWords;
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
    for (std::size_t i = 0; i < block[kItems]; ++i) {
        if (item(block, i)[kOriginal] != address) continue;
        found = {block, item(block, i)[kOffset], address};
        return true;
    }
    return false;
}

bool find_copy(const std::uintptr_t* block, std::uintptr_t address, Found& found) {
    if (address < block[kBase] || address >= block[kEnd]) return false;
    found = {block, (address - block[kBase]) % block[kBytes], 0};
    for (std::size_t i = 0; i < block[kItems]; ++i)
        if (item(block, i)[kOffset] == found.offset) found.original = item(block, i)[kOriginal];
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
