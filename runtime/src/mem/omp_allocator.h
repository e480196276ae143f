// SPDX-License-Identifier: Apache-2.0
//
// OpenMP's memory allocators (OpenMP 5.2, chapter 6) over the C library's heap.
//
// A handle is one of the small numbers of the predefined allocators, which give ordinary or pinned
// memory, or the address of an Allocator that the program made with traits of its own. The program
// owns it until it destroys it. Each allocation has a header in front that names its allocator,
// because omp_free need not be told. Any thread may allocate from and free to any allocator.
#pragma once

#include <cstddef>
#include <cstdint>

namespace teff::mem {

using AllocatorHandle = std::uintptr_t;

inline constexpr AllocatorHandle kNullAllocator = 0, kDefaultAllocator = 1, kLastPredefined = 8;
inline constexpr AllocatorHandle kPinnedAllocator = 200; // ompx_gnu_pinned_mem_alloc, predefined in GCC 15

// omp_alloctrait_t, and the values of its keys. Those between partition and part_size are about
// devices.
struct AllocatorTrait {
    std::int32_t key;
    std::uintptr_t value;
};

enum class TraitKey : std::int32_t {
    sync_hint = 1,
    alignment,
    access,
    pool_size,
    fallback,
    fb_data,
    pinned,
    partition,
    part_size = 14, // from here on OpenMP 6.0
    partitioner,
    partitioner_arg
};
enum class Fallback : std::uintptr_t { default_mem = 11, null, abort, allocator };

// A null handle if a trait makes no sense or cannot be met.
AllocatorHandle make_allocator(std::uintptr_t space, int count, const AllocatorTrait* traits);
void destroy_allocator(AllocatorHandle handle);

enum class Content : std::uint8_t { any, zero };

// Null for no bytes, and where the allocator says so when there is not enough memory. `handle` is
// not null.
void* allocate(AllocatorHandle handle, std::size_t alignment, std::size_t bytes, Content content);
void* reallocate(AllocatorHandle handle, void* memory, std::size_t bytes);
void free(void* memory);

// Of memory that one of these gave.
AllocatorHandle allocator_of(const void* memory);

} // namespace teff::mem
