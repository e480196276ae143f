// SPDX-License-Identifier: Apache-2.0
//
// OpenMP's memory allocators (OpenMP 5.2, chapter 6) over the C library's heap.
//
// A handle is either one of the small numbers of the predefined allocators, or the address of an
// Allocator that the program made with traits of its own. The predefined allocators give ordinary
// or pinned memory. The program owns an Allocator until it destroys it. Each allocation is preceded
// by a header that names its allocator, because the caller of omp_free need not name the allocator.
// Any thread may allocate from any allocator and free to any allocator.
#pragma once

#include <cstddef>
#include <cstdint>

namespace teff::mem {

using AllocatorHandle = std::uintptr_t;

inline constexpr AllocatorHandle kNullAllocator = 0, kDefaultAllocator = 1, kLastPredefined = 8;
inline constexpr AllocatorHandle kPinnedAllocator = 200; // ompx_gnu_pinned_mem_alloc, predefined in GCC 15

// omp_alloctrait_t. TraitKey has the values of its keys. The values between partition and part_size
// are about devices.
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
    part_size = 14, // this key and the following are of OpenMP 6.0
    partitioner,
    partitioner_arg
};
enum class Fallback : std::uintptr_t { default_mem = 11, null, abort, allocator };

// Makes an allocator. Returns a null handle if a trait is not valid or cannot be provided, or if
// there is no memory.
AllocatorHandle make_allocator(std::uintptr_t space, int count, const AllocatorTrait* traits);
void destroy_allocator(AllocatorHandle handle);

enum class Content : std::uint8_t { any, zero };

// allocate returns new memory, or null if `bytes` is 0. reallocate moves the contents to new memory
// of `bytes` bytes, which must not be 0. Both return null if there is not enough memory and the
// allocator's fallback gives none. Both require that `handle` is not null.
void* allocate(AllocatorHandle handle, std::size_t alignment, std::size_t bytes, Content content);
void* reallocate(AllocatorHandle handle, void* memory, std::size_t bytes);
void free(void* memory);

// Returns the allocator of memory that allocate or reallocate has returned.
AllocatorHandle allocator_of(const void* memory);

} // namespace teff::mem
