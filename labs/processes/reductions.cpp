// SPDX-License-Identifier: Apache-2.0
#include "processes/reductions.h"

#include <cstring>

#include "abi/export.h"
#include "processes/heap.h"
#include "processes/loops.h"
#include "processes/missing.h"
#include "processes/report.h"
#include "processes/tasks.h"
#include "processes/team.h"

namespace teff::processes::reductions {

namespace {

// The words of a block. Items of three words follow: original, offset, unused.
enum Word : unsigned { kItems, kBytes, kCopies, kAllocator, kNext, kOuter, kEnd, kFirstItem };

unsigned members() { return current_team().size; }

void allocate(std::uintptr_t* block) {
    const std::size_t alignment = block[kCopies] < 16 ? 16 : block[kCopies], bytes = block[kBytes] * members();
    void* const copies = heap::allocate_aligned(alignment, bytes == 0 ? 1 : bytes);
    if (copies == nullptr) fail("no memory for the copies of a reduction");
    std::memset(copies, 0, bytes);
    block[kCopies] = reinterpret_cast<std::uintptr_t>(copies);
    block[kEnd] = block[kCopies] + bytes;
}

// The blocks of the enclosing taskgroup, to which the last of these blocks is linked.
std::uintptr_t* outer_blocks(const std::uintptr_t* blocks) { return reinterpret_cast<std::uintptr_t*>(blocks[kOuter]); }

// The address of this member's copy of `address` in the block; 0 if the block does not contain it.
std::uintptr_t copy_in(const std::uintptr_t* block, std::uintptr_t address, std::uintptr_t& original) {
    const std::uintptr_t own = block[kCopies] + current_team().number * block[kBytes];
    if (address - block[kCopies] < block[kEnd] - block[kCopies]) {
        const std::uintptr_t offset = (address - block[kCopies]) % block[kBytes];
        for (std::uintptr_t i = 0; i < block[kItems]; ++i)
            if (block[kFirstItem + 3 * i + 1] == offset) original = block[kFirstItem + 3 * i];
        return own + offset;
    }
    for (std::uintptr_t i = 0; i < block[kItems]; ++i) {
        const std::uintptr_t* const item = block + kFirstItem + 3 * i;
        if (item[0] == address) return original = address, own + item[1];
    }
    return 0;
}

} // namespace

void begin_taskgroup(std::uintptr_t* blocks) {
    std::uintptr_t* block = blocks;
    for (;; block = reinterpret_cast<std::uintptr_t*>(block[kNext])) {
        allocate(block);
        if (block[kNext] == 0) break;
    }
    blocks[kOuter] = block[kNext] = reinterpret_cast<std::uintptr_t>(tasks::reduction_blocks());
    tasks::reduction_blocks() = blocks;
}

void release(std::uintptr_t* blocks) {
    for (std::uintptr_t* block = blocks; block != outer_blocks(blocks);
         block = reinterpret_cast<std::uintptr_t*>(block[kNext]))
        heap::release(reinterpret_cast<void*>(block[kCopies]));
}

void remap(std::size_t count, std::size_t with_original, void** pointers) {
    for (std::size_t i = 0; i < count; ++i) {
        const auto address = reinterpret_cast<std::uintptr_t>(pointers[i]);
        std::uintptr_t original = 0, copy = 0;
        const std::uintptr_t* block = tasks::reduction_blocks();
        for (; block != nullptr && copy == 0; block = reinterpret_cast<const std::uintptr_t*>(block[kNext]))
            copy = copy_in(block, address, original);
        if (copy == 0) fail("a task reduces a variable that no taskgroup around it reduces");
        pointers[i] = reinterpret_cast<void*>(copy);
        if (i < with_original) pointers[count + i] = reinterpret_cast<void*>(original);
    }
}

void begin_worksharing(std::uintptr_t* blocks, void** memory) {
    if (blocks != nullptr) missing("a reduction with the task modifier on a work-sharing construct");
    if (memory != nullptr) missing("a scan reduction, or an allocation for a work-sharing construct");
}

} // namespace teff::processes::reductions

using namespace teff::processes;

TEFF_EXPORT void GOMP_taskgroup_reduction_register(std::uintptr_t* blocks) { reductions::begin_taskgroup(blocks); }
TEFF_EXPORT void GOMP_taskgroup_reduction_unregister(std::uintptr_t* blocks) { reductions::release(blocks); }
TEFF_EXPORT void GOMP_task_reduction_remap(std::size_t count, std::size_t with_original, void** pointers) {
    reductions::remap(count, with_original, pointers);
}
TEFF_EXPORT unsigned GOMP_parallel_reductions(void (*)(void*), void*, unsigned, unsigned) {
    missing("a reduction with the task modifier on a parallel construct");
}
TEFF_EXPORT void GOMP_workshare_task_reduction_unregister(bool) {
    missing("a reduction with the task modifier on a work-sharing construct");
}
