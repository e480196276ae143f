// SPDX-License-Identifier: Apache-2.0
// __kmpc_*: memory allocators, the error directive and inquiries, as LLVM's compilers call them.
#include <cstddef>
#include <cstdint>

#include "abi/export.h"
#include "abi/first_use.h"
#include "abi/kmpc_types.h"
#include "abi/omp_routines.h"
#include "icv/icv.h"

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

// The predefined allocators and memory spaces, which some compilers take from the library.
#define PREDEFINED(name, value) TEFF_EXPORT const Allocator name = value
PREDEFINED(omp_null_allocator, 0);
PREDEFINED(omp_default_mem_alloc, 1);
PREDEFINED(omp_large_cap_mem_alloc, 2);
PREDEFINED(omp_const_mem_alloc, 3);
PREDEFINED(omp_high_bw_mem_alloc, 4);
PREDEFINED(omp_low_lat_mem_alloc, 5);
PREDEFINED(omp_cgroup_mem_alloc, 6);
PREDEFINED(omp_pteam_mem_alloc, 7);
PREDEFINED(omp_thread_mem_alloc, 8);
PREDEFINED(omp_default_mem_space, 0);
PREDEFINED(omp_large_cap_mem_space, 1);
PREDEFINED(omp_const_mem_space, 2);
PREDEFINED(omp_high_bw_mem_space, 3);
PREDEFINED(omp_low_lat_mem_space, 4);

TEFF_EXPORT void __kmpc_error(Ident*, S32 severity, const char* message) {
    constexpr S32 kWarning = 1;
    if (severity == kWarning) GOMP_warning(message, ~std::size_t{0});
    else GOMP_error(message, ~std::size_t{0});
}

TEFF_EXPORT int __kmpc_get_target_offload() {
    constexpr int kDisabled = 0, kDefault = 1, kMandatory = 2;
    using teff::icv::TargetOffload;
    teff::abi::first_use();
    switch (teff::icv::global().target_offload) {
    case TargetOffload::disabled:
        return kDisabled;
    case TargetOffload::mandatory:
        return kMandatory;
    default:
        return kDefault;
    }
}
TEFF_EXPORT void** __kmpc_omp_get_target_async_handle_ptr(S32) { return nullptr; } // so nothing is asynchronous
TEFF_EXPORT int __kmpc_pause_resource(int kind) { return omp_pause_resource_all(kind); }
TEFF_EXPORT S32 __kmpc_omp_has_task_team(S32) { return 1; }
