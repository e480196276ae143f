// SPDX-License-Identifier: Apache-2.0
#include "processes/heap.h"

#include <bit>
#include <cstring>

#include "processes/layout.h"
#include "processes/memory.h"

namespace teff::processes::heap {

namespace {

constexpr std::size_t kLeast = 32; // header included
constexpr unsigned kClasses = 4 * 34;

struct Header {
    std::uint32_t size_class;
    std::uint32_t offset; // from the block's start to this header
    std::uint64_t magic;
};
static_assert(sizeof(Header) == 16);
constexpr std::uint64_t kLive = 0x7465'6666'6c69'7665, kFree = 0x7465'6666'6672'6565;

struct Arena {
    std::uintptr_t next = arena_start(0), end = arena_start(1);
    unsigned rank = 0;
    unsigned processes = kMostProcesses; // until known, arenas of all are ours to recognise
};
constinit Arena arena;
constinit List<std::uintptr_t> free_blocks[kClasses];
constinit FreedOfOthers foreign;

std::size_t class_bytes(unsigned index) {
    const std::size_t bytes = (std::size_t{4} + index % 4) << (index / 4 + 3);
    return (bytes + 15) & ~std::size_t{15};
}
static_assert(kLeast == 4u << 3);

unsigned class_of(std::size_t bytes) {
    if (bytes <= kLeast) return 0;
    const unsigned doubling = static_cast<unsigned>(std::bit_width(bytes - 1)) - 1; // 2^d <= bytes - 1
    const std::size_t quarter = (bytes - 1) >> (doubling - 2);                      // 4 .. 7
    return (doubling - 5) * 4 + static_cast<unsigned>(quarter - 4) + 1;
}

Header* header_of(void* block) { return static_cast<Header*>(block) - 1; }
const Header* header_of(const void* block) { return static_cast<const Header*>(block) - 1; }

std::uintptr_t carve(std::size_t bytes) {
    if (arena.end - arena.next < bytes) return 0;
    const std::uintptr_t start = arena.next;
    arena.next += bytes;
    memory::note_use(arena.next);
    return start;
}

// The start of a block of the class; 0 if there is no more. `fresh`: it was never used, and is
// zero.
std::uintptr_t take(unsigned index, bool& fresh) {
    List<std::uintptr_t>& list = free_blocks[index];
    fresh = list.empty();
    if (!fresh) return list.pop();
    const std::size_t bytes = class_bytes(index);
    if (bytes >= kPage) arena.next = (arena.next + 63) & ~std::uintptr_t{63};
    return carve(bytes);
}

void* prepare(std::uintptr_t start, std::size_t offset, unsigned index) {
    auto* const header = reinterpret_cast<Header*>(start + offset);
    *header = {index, static_cast<std::uint32_t>(offset), kLive};
    return header + 1;
}

void* allocate_block(std::size_t bytes, std::size_t alignment, bool& fresh) {
    if (bytes > kArenaSpan / 2 || alignment > kArenaSpan / 4) return nullptr;
    const std::size_t slack = alignment <= 16 ? 0 : alignment;
    const unsigned index = class_of(bytes + sizeof(Header) + slack);
    const std::uintptr_t start = take(index, fresh);
    if (start == 0) return nullptr;
    if (slack == 0) return prepare(start, 0, index);
    const std::uintptr_t user = (start + sizeof(Header) + alignment - 1) & ~(alignment - 1);
    return prepare(start, user - sizeof(Header) - start, index);
}

} // namespace

void become(unsigned rank, unsigned processes) {
    arena.processes = processes;
    if (rank == arena.rank) return;
    arena.rank = rank;
    arena.next = arena_start(rank);
    arena.end = arena_start(rank + 1);
    for (List<std::uintptr_t>& list : free_blocks)
        list.clear();
    foreign.clear();
}

void* allocate(std::size_t bytes) {
    bool fresh;
    return allocate_block(bytes, 16, fresh);
}

void* allocate_zeroed(std::size_t bytes, std::size_t alignment) {
    bool fresh;
    void* const block = allocate_block(bytes, alignment, fresh);
    if (block != nullptr && !fresh) std::memset(block, 0, bytes);
    return block;
}

void* allocate_aligned(std::size_t alignment, std::size_t bytes) {
    bool fresh;
    return allocate_block(bytes, alignment, fresh);
}

std::size_t usable(const void* block) {
    const Header* const header = header_of(block);
    return class_bytes(header->size_class) - header->offset - sizeof(Header);
}

void* resize(void* block, std::size_t bytes) {
    const std::size_t room = usable(block);
    if (bytes <= room && bytes >= room / 4) return block;
    void* const moved = allocate(bytes);
    if (moved == nullptr) return nullptr;
    std::memcpy(moved, block, bytes < room ? bytes : room);
    release(block);
    return moved;
}

void release(void* block) {
    Header* const header = header_of(block);
    if (owner(reinterpret_cast<std::uintptr_t>(block)) != arena.rank) {
        foreign.blocks.push(reinterpret_cast<std::uintptr_t>(block));
        foreign.bytes += usable(block);
        return;
    }
    if (header->magic != kLive) fail("free() of %p, which is no block of the heap, or was freed before", block);
    header->magic = kFree;
    free_blocks[header->size_class].push(reinterpret_cast<std::uintptr_t>(header) - header->offset);
}

bool owns(const void* address) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return at >= kSharedBase && at < arena_start(arena.processes);
}

FreedOfOthers& freed_of_others() { return foreign; }
unsigned owner(std::uint64_t block) { return static_cast<unsigned>((block - kSharedBase) / kArenaSpan); }

} // namespace teff::processes::heap
