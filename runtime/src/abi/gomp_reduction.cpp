// SPDX-License-Identifier: Apache-2.0
#include "abi/gomp_reduction.h"

#include <cstdlib>

#include "task/task.h"
#include "task/taskgroup.h"
#include "team/team.h"

namespace teff::abi {

namespace {

// GCC's words, by name.
enum Word : unsigned { kItems = 0, kBytes = 1, kCopies = 2, kNext = 4, kFirstItem = 7 };
static_assert(sizeof(task::ReductionItem) == 3 * sizeof(std::uintptr_t));

std::uintptr_t* next_block(const std::uintptr_t* block) { return reinterpret_cast<std::uintptr_t*>(block[kNext]); }

task::ReductionPart part_of(std::uintptr_t* block, unsigned threads) {
    return {.items = reinterpret_cast<task::ReductionItem*>(block + kFirstItem),
            .count = block[kItems],
            .copies = reinterpret_cast<char*>(block[kCopies]),
            .bytes = block[kBytes],
            .threads = threads};
}

} // namespace

void register_blocks(team::Worker& worker, task::Taskgroup& group, std::uintptr_t* blocks, const std::uintptr_t* first,
                     unsigned threads) {
    task::Reductions* before = nullptr;
    for (std::uintptr_t* block = blocks; block != nullptr; block = next_block(block)) {
        block[kCopies] =
            first != nullptr
                ? first[kCopies]
                : reinterpret_cast<std::uintptr_t>(task::allocate_copies(block[kBytes], block[kCopies], threads));
        if (first != nullptr) first = next_block(first);
        before = &task::register_part(worker, group, part_of(block, threads), before);
    }
}

void register_taskgroup_blocks(team::Worker& worker, std::uintptr_t* blocks) {
    register_blocks(worker, *worker.task->group.get(), blocks, nullptr, worker.member->team->size);
}

task::WorksharingReductions worksharing_reductions(std::uintptr_t* blocks) {
    return {.own = blocks, .enter = [](team::Worker& worker, void* own, void* first) {
                register_blocks(worker, task::begin_worksharing_group(worker), static_cast<std::uintptr_t*>(own),
                                static_cast<const std::uintptr_t*>(first), worker.member->team->size);
            }};
}

std::uintptr_t* worksharing_blocks(const team::Worker& worker) {
    return reinterpret_cast<std::uintptr_t*>(worker.task->group->reductions->part.items) - kFirstItem;
}

void free_blocks(std::uintptr_t* blocks) {
    for (std::uintptr_t* block = blocks; block != nullptr; block = next_block(block))
        std::free(reinterpret_cast<void*>(block[kCopies]));
}

void remap(team::Worker& worker, std::size_t count, std::size_t with_original, void** pointers) {
    for (std::size_t i = 0; i < count; ++i) {
        const task::ReductionCopy found = task::find_copy(worker, pointers[i]);
        pointers[i] = found.copy;
        if (i < with_original) pointers[count + i] = found.original;
    }
}

} // namespace teff::abi
