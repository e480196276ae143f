// SPDX-License-Identifier: Apache-2.0
// __kmpc_*: memory allocators and the error directive, as LLVM's compilers call them.
#include <cstddef>
#include <cstdint>

#include "abi/export.h"
#include "abi/kmpc_types.h"
#include "abi/omp_routines.h"

using teff::abi::kmpc::Ident;

using S32 = std::int32_t;
using Allocator = std::uintptr_t;

extern "C" {
void* omp_alloc(std::size_t bytes, Allocator allocator);
void omp_free(void* memory, Allocator allocator);
void* omp_aligned_alloc(std::size_t align, std::size_t bytes, Allocator allocator);
void* omp_calloc(std::size_t count, std::size_t bytes, Allocator allocator);
void* omp_realloc(void* memory, std::size_t bytes, Allocator allocator, Allocator free_allocator);
void GOMP_warning(const char* message, std::size_t bytes);
[[noreturn]] void GOMP_error(const char* message, std::size_t bytes);
}

TEFF_EXPORT void* __kmpc_alloc(S32, std::size_t bytes, Allocator allocator) { return omp_alloc(bytes, allocator); }
TEFF_EXPORT void* __kmpc_aligned_alloc(S32, std::size_t align, std::size_t bytes, Allocator allocator) {
    return omp_aligned_alloc(align, bytes, allocator);
}
TEFF_EXPORT void* __kmpc_calloc(S32, std::size_t count, std::size_t bytes, Allocator allocator) {
    return omp_calloc(count, bytes, allocator);
}
TEFF_EXPORT void* __kmpc_realloc(S32, void* memory, std::size_t bytes, Allocator allocator, Allocator free_allocator) {
    return omp_realloc(memory, bytes, allocator, free_allocator);
}
TEFF_EXPORT void __kmpc_free(S32, void* memory, Allocator allocator) { omp_free(memory, allocator); }
TEFF_EXPORT Allocator __kmpc_init_allocator(S32, Allocator space, S32 count, const teff::mem::AllocatorTrait* traits) {
    return omp_init_allocator(space, count, traits);
}
TEFF_EXPORT void __kmpc_destroy_allocator(S32, Allocator allocator) { omp_destroy_allocator(allocator); }
TEFF_EXPORT void __kmpc_set_default_allocator(S32, Allocator allocator) { omp_set_default_allocator(allocator); }
TEFF_EXPORT Allocator __kmpc_get_default_allocator(S32) { return omp_get_default_allocator(); }

TEFF_EXPORT void __kmpc_error(Ident*, S32 severity, const char* message) {
    constexpr S32 kWarning = 1;
    if (severity == kWarning) GOMP_warning(message, ~std::size_t{0});
    else GOMP_error(message, ~std::size_t{0});
}
