// SPDX-License-Identifier: Apache-2.0
// Memory allocators: the predefined ones are the C library's heap. Allocators with traits of their own are not there yet.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "abi/export.h"
#include "base/report.h"
#include "icv/icv.h"

using namespace teff;

namespace {

thread_local std::uintptr_t default_allocator [[gnu::tls_model("initial-exec")]] = 0; // 0: as the environment says

void* allocate(std::size_t alignment, std::size_t bytes) {
    if (bytes == 0) return nullptr;
    return alignment <= alignof(std::max_align_t) ? std::malloc(bytes) : std::aligned_alloc(alignment, bytes);
}

void* allocate_zeroed(std::size_t alignment, std::size_t count, std::size_t size) {
    std::size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes == 0) return nullptr;
    if (alignment <= alignof(std::max_align_t)) return std::calloc(count, size);
    void* memory = std::aligned_alloc(alignment, bytes);
    return memory == nullptr ? nullptr : std::memset(memory, 0, bytes);
}

} // namespace

TEFF_EXPORT void* GOMP_alloc(std::size_t alignment, std::size_t bytes, std::uintptr_t) {
    return allocate(alignment, bytes);
}
TEFF_EXPORT void GOMP_free(void* memory, std::uintptr_t) { std::free(memory); }

TEFF_EXPORT void* omp_alloc(std::size_t bytes, std::uintptr_t) { return allocate(0, bytes); }
TEFF_EXPORT void* omp_aligned_alloc(std::size_t alignment, std::size_t bytes, std::uintptr_t) {
    return allocate(alignment, bytes);
}
TEFF_EXPORT void* omp_calloc(std::size_t count, std::size_t size, std::uintptr_t) {
    return allocate_zeroed(0, count, size);
}

TEFF_EXPORT void* omp_aligned_calloc(std::size_t alignment, std::size_t count, std::size_t size, std::uintptr_t) {
    return allocate_zeroed(alignment, count, size);
}

TEFF_EXPORT void* omp_realloc(void* memory, std::size_t bytes, std::uintptr_t, std::uintptr_t) {
    if (bytes != 0) return std::realloc(memory, bytes);
    std::free(memory);
    return nullptr;
}

TEFF_EXPORT void omp_free(void* memory, std::uintptr_t) { std::free(memory); }

TEFF_EXPORT std::uintptr_t omp_get_default_allocator() {
    return default_allocator != 0 ? default_allocator : icv::global().default_allocator;
}

TEFF_EXPORT void omp_set_default_allocator(std::uintptr_t allocator) {
    default_allocator = allocator != 0 ? allocator : 1;
}

TEFF_EXPORT std::uintptr_t omp_init_allocator(std::uintptr_t, int, const void*) {
    base::fatal(0, "omp_init_allocator is not implemented yet: the program makes an allocator of its own");
}

TEFF_EXPORT void omp_destroy_allocator(std::uintptr_t) {}
