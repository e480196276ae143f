// SPDX-License-Identifier: Apache-2.0
#include "mem/omp_allocator.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/atomics.h"
#include "base/report.h"
#include "mem/distributed_heap.h"
#include "mem/pinned.h"

namespace teff::mem {

namespace {

constexpr std::uintptr_t kDefaultValue = ~std::uintptr_t{0}; // omp_atv_default
constexpr std::uintptr_t kLastSpace = 4;                     // all spaces are the same memory
constexpr std::size_t kNoLimit = ~std::size_t{0};

struct Allocator {
    std::size_t alignment = 1;
    std::size_t pool_bytes = kNoLimit;
    Fallback fallback = Fallback::default_mem;
    AllocatorHandle next = kDefaultAllocator;
    bool pinned = false;
    unsigned distribution = kStandard; // distribution of the allocator's memory: the trait partition
    std::uint32_t part_pages = 1;      // of that distribution: the trait part_size
    std::atomic<std::size_t> used{0};  // relaxed: a sum that guards nothing else

    // Takes `bytes` out of the pool, if the pool has that much.
    [[nodiscard]] bool try_reserve(std::size_t bytes) {
        if (pool_bytes == kNoLimit) return true;
        std::size_t seen = used.load(std::memory_order_relaxed);
        do {
            if (bytes > pool_bytes - seen) return false;
        } while (!used.compare_exchange_weak(seen, seen + bytes, std::memory_order_relaxed, std::memory_order_relaxed));
        return true;
    }

    void give_back(std::size_t bytes) {
        if (pool_bytes != kNoLimit) used.fetch_sub(bytes, std::memory_order_relaxed);
    }
};

// The header in front of each allocation.
struct alignas(alignof(std::max_align_t)) Header {
    void* block; // from the C library, or the first of the allocation's own pages
    std::size_t bytes;
    AllocatorHandle allocator;
    std::size_t mapped_bytes; // bytes of pinned or distributed pages; 0: from the C library
};

Header& header_of(void* memory) { return static_cast<Header*>(memory)[-1]; }

Allocator* own_allocator(AllocatorHandle handle) {
    const bool predefined = handle <= kLastPredefined || handle == kPinnedAllocator;
    return predefined ? nullptr : reinterpret_cast<Allocator*>(handle);
}

bool pins(AllocatorHandle handle) {
    const Allocator* own = own_allocator(handle);
    return own != nullptr ? own->pinned : handle == kPinnedAllocator;
}

struct Block {
    void* memory;
    bool mapped; // pinned or distributed
};

Block take_block(AllocatorHandle handle, std::size_t bytes, Content content) {
    if (TEFF_UNLIKELY(pins(handle))) return {map_pinned(bytes), true};
    if (const Allocator* own = own_allocator(handle); own != nullptr && own->distribution != kStandard)
        if (void* memory = process_heap().allocate(distribution(own->distribution), 1, bytes, own->part_pages))
            return {memory, true};
    return {content == Content::zero ? std::calloc(1, bytes) : std::malloc(bytes), false};
}

void give_back_block(const Header& header) {
    if (TEFF_LIKELY(header.mapped_bytes == 0)) std::free(header.block);
    else if (!process_heap().free(header.block)) unmap_pinned(header.block, header.mapped_bytes);
}

// The values of the trait partition, of type omp_alloctrait_value_t.
constexpr std::uintptr_t kEnvironment = 15, kPartitionNearest = 16, kPartitionBlocked = 17, kInterleaved = 18,
                         kPartitioner = 23;

// Warns and returns false. Teff has no routines that make a partitioner, so a program's partitioner
// must come from elsewhere.
[[gnu::cold]] bool refuse_partitioner() {
    base::warn("an allocator asks for a memory partitioner (omp_atv_partitioner), of which Teff has none: it is not "
               "made; use the trait partition with blocked, interleaved or nearest");
    return false;
}

bool set_partition(Allocator& allocator, std::uintptr_t value) {
    switch (value) {
    case kDefaultValue:
    case kEnvironment:
        return allocator.distribution = kStandard, true;
    case kPartitionNearest:
        return allocator.distribution = kNearest, true;
    case kPartitionBlocked:
        return allocator.distribution = kBlocked, true;
    case kInterleaved:
        return allocator.distribution = kFine, true;
    case kPartitioner:
        return refuse_partitioner();
    }
    return false;
}

// Sets the part size, rounded up to whole pages, because a page lies on one node. Returns false for
// 0 bytes.
bool set_part_size(Allocator& allocator, std::uintptr_t bytes) {
    const std::uintptr_t pages = bytes / kPageBytes + (bytes % kPageBytes != 0);
    allocator.part_pages = static_cast<std::uint32_t>(std::min<std::uintptr_t>(pages, UINT32_MAX));
    return bytes != 0;
}

[[nodiscard]] bool set_trait(Allocator& allocator, TraitKey key, std::uintptr_t value) {
    const bool as_usual = value == kDefaultValue;
    switch (key) {
    case TraitKey::alignment:
        allocator.alignment = as_usual ? 1 : value;
        return std::has_single_bit(allocator.alignment);
    case TraitKey::pool_size:
        allocator.pool_bytes = as_usual ? kNoLimit : value;
        return true;
    case TraitKey::fallback:
        allocator.fallback = as_usual ? Fallback::default_mem : static_cast<Fallback>(value);
        return as_usual ||
               (value >= std::uintptr_t(Fallback::default_mem) && value <= std::uintptr_t(Fallback::allocator));
    case TraitKey::fb_data:
        allocator.next = value;
        return true;
    case TraitKey::pinned:
        allocator.pinned = !as_usual && value != 0;
        return as_usual || value <= 1;
    case TraitKey::sync_hint:
        return as_usual || (value >= 3 && value <= 6);
    case TraitKey::access:
        return as_usual || (value >= 7 && value <= 10);
    case TraitKey::partition:
        return set_partition(allocator, value);
    case TraitKey::part_size:
        return set_part_size(allocator, as_usual ? kPageBytes : value);
    case TraitKey::partitioner:
        return as_usual || refuse_partitioner();
    case TraitKey::partitioner_arg:
        return true; // a trait of a partitioner
    }
    return false;
}

// Returns the bytes for the header, the data and the alignment, or 0 if the sum overflows.
std::size_t block_bytes(std::size_t alignment, std::size_t bytes) {
    std::size_t total;
    const std::size_t extra = sizeof(Header) + (alignment > alignof(Header) ? alignment : 0);
    return __builtin_add_overflow(bytes, extra, &total) ? 0 : total;
}

void* try_allocate(AllocatorHandle handle, std::size_t alignment, std::size_t bytes, Content content) {
    const std::size_t total = block_bytes(alignment, bytes);
    if (total == 0) return nullptr;
    const Block block = take_block(handle, total, content);
    if (block.memory == nullptr) return nullptr;
    const std::size_t align = std::max(alignment, alignof(Header));
    const auto address = (reinterpret_cast<std::uintptr_t>(block.memory) + sizeof(Header) + align - 1) & ~(align - 1);
    void* memory = reinterpret_cast<void*>(address);
    ::new (&header_of(memory))
        Header{.block = block.memory, .bytes = bytes, .allocator = handle, .mapped_bytes = block.mapped ? total : 0};
    return memory;
}

void* try_allocate_from(Allocator& allocator, std::size_t alignment, std::size_t bytes, Content content) {
    if (!allocator.try_reserve(bytes)) return nullptr;
    void* memory = try_allocate(reinterpret_cast<AllocatorHandle>(&allocator), std::max(alignment, allocator.alignment),
                                bytes, content);
    if (memory == nullptr) allocator.give_back(bytes);
    return memory;
}

// Allocates a new block for memory that stays in its pool. The heap must hold both blocks, but the
// pool need not: the old block's share of the pool passes to the new block. Returns null if the
// pool or the heap has too little.
void* try_resize_in_pool(Allocator& allocator, Header& old, std::size_t bytes) {
    const std::size_t more = bytes > old.bytes ? bytes - old.bytes : 0;
    if (!allocator.try_reserve(more)) return nullptr;
    void* other = try_allocate(old.allocator, allocator.alignment, bytes, Content::any);
    if (other == nullptr) {
        allocator.give_back(more);
        return nullptr;
    }
    if (bytes < old.bytes) allocator.give_back(old.bytes - bytes);
    old.bytes = 0;
    return other;
}

} // namespace

AllocatorHandle make_allocator(std::uintptr_t space, int count, const AllocatorTrait* traits) {
    if (space > kLastSpace) return kNullAllocator;
    void* memory = std::malloc(sizeof(Allocator));
    if (memory == nullptr) return kNullAllocator;
    auto* allocator = ::new (memory) Allocator;
    bool valid = true;
    for (int i = 0; i < count; ++i)
        valid = valid && set_trait(*allocator, static_cast<TraitKey>(traits[i].key), traits[i].value);
    if (valid) return reinterpret_cast<AllocatorHandle>(allocator);
    std::free(memory);
    return kNullAllocator;
}

void destroy_allocator(AllocatorHandle handle) { std::free(own_allocator(handle)); }

void* allocate(AllocatorHandle handle, std::size_t alignment, std::size_t bytes, Content content) {
    if (bytes == 0) return nullptr;
    for (;;) {
        Allocator* own = own_allocator(handle);
        if (own == nullptr) return try_allocate(handle, alignment, bytes, content);
        if (void* memory = try_allocate_from(*own, alignment, bytes, content)) return memory;
        if (own->fallback == Fallback::null) return nullptr;
        if (own->fallback == Fallback::abort)
            base::fatal(ENOMEM, "an allocator with the trait abort_fb has no %zu bytes left", bytes);
        handle = own->fallback == Fallback::allocator ? own->next : kDefaultAllocator;
    }
}

void* reallocate(AllocatorHandle handle, void* memory, std::size_t bytes) {
    if (memory == nullptr) return allocate(handle, 1, bytes, Content::any);
    Header& old = header_of(memory);
    const std::size_t kept = std::min(bytes, old.bytes);
    Allocator* const pool = old.allocator == handle ? own_allocator(handle) : nullptr;
    void* other = pool != nullptr ? try_resize_in_pool(*pool, old, bytes) : nullptr;
    if (other == nullptr) other = allocate(handle, 1, bytes, Content::any);
    if (other == nullptr) return nullptr;
    std::memcpy(other, memory, kept);
    free(memory);
    return other;
}

void free(void* memory) {
    if (memory == nullptr) return;
    const Header header = header_of(memory);
    if (Allocator* own = own_allocator(header.allocator)) own->give_back(header.bytes);
    give_back_block(header);
}

AllocatorHandle allocator_of(const void* memory) { return static_cast<const Header*>(memory)[-1].allocator; }

} // namespace teff::mem
