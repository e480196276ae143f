// SPDX-License-Identifier: Apache-2.0
// omp_alloc and related functions. With every allocator, the memory comes from the shared heap. The
// alignment is always 64, and traits have no effect.
#include "abi/export.h"
#include "mem/omp_allocator.h"
#include "processes/heap.h"

using namespace teff::processes;

namespace {
constexpr std::size_t kAlignment = 64;
constexpr std::uintptr_t kDefault = 1; // omp_default_mem_alloc
std::uintptr_t default_allocator = kDefault;

std::size_t at_least(std::size_t alignment) { return alignment < kAlignment ? kAlignment : alignment; }
} // namespace

TEFF_EXPORT void free(void* block);

TEFF_EXPORT void* omp_alloc(std::size_t bytes, std::uintptr_t) {
    return bytes == 0 ? nullptr : heap::allocate_aligned(kAlignment, bytes);
}
TEFF_EXPORT void* omp_aligned_alloc(std::size_t alignment, std::size_t bytes, std::uintptr_t) {
    return bytes == 0 ? nullptr : heap::allocate_aligned(at_least(alignment), bytes);
}
TEFF_EXPORT void* omp_aligned_calloc(std::size_t alignment, std::size_t count, std::size_t bytes, std::uintptr_t) {
    std::size_t product;
    if (__builtin_mul_overflow(count, bytes, &product) || product == 0) return nullptr;
    void* const block = heap::allocate_aligned(at_least(alignment), product);
    return block == nullptr ? nullptr : __builtin_memset(block, 0, product);
}
TEFF_EXPORT void* omp_calloc(std::size_t count, std::size_t bytes, std::uintptr_t allocator) {
    return omp_aligned_calloc(kAlignment, count, bytes, allocator);
}
TEFF_EXPORT void omp_free(void* block, std::uintptr_t) {
    if (block != nullptr) free(block);
}
TEFF_EXPORT void* omp_realloc(void* block, std::size_t bytes, std::uintptr_t allocator, std::uintptr_t) {
    if (block == nullptr) return omp_alloc(bytes, allocator);
    if (bytes == 0) return free(block), nullptr;
    void* const moved = omp_alloc(bytes, allocator);
    if (moved == nullptr) return nullptr;
    const std::size_t room = heap::usable(block);
    __builtin_memcpy(moved, block, room < bytes ? room : bytes);
    free(block);
    return moved;
}
TEFF_EXPORT std::uintptr_t omp_init_allocator(std::uintptr_t, int, const teff::mem::AllocatorTrait*) {
    return kDefault;
}
TEFF_EXPORT void omp_destroy_allocator(std::uintptr_t) {}
TEFF_EXPORT void omp_set_default_allocator(std::uintptr_t allocator) { default_allocator = allocator; }
TEFF_EXPORT std::uintptr_t omp_get_default_allocator() { return default_allocator; }

TEFF_EXPORT void* teff_malloc(std::size_t bytes, int) { return omp_alloc(bytes, kDefault); }
TEFF_EXPORT void teff_free(void* block) { omp_free(block, kDefault); }
