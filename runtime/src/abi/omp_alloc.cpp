// SPDX-License-Identifier: Apache-2.0
// The routines of memory allocators, and the entry points for the allocate clause and directive.
#include "abi/current.h"
#include "abi/export.h"
#include "abi/start_up.h"
#include "base/report.h"
#include "mem/allocation_set.h"
#include "mem/omp_allocator.h"

using namespace teff;
using mem::AllocatorHandle;
using mem::Content;

namespace {

AllocatorHandle or_default(AllocatorHandle handle) {
    abi::first_use();
    return handle != mem::kNullAllocator ? handle : abi::current_icvs().default_allocator;
}

void* allocate_zeroed(AllocatorHandle handle, std::size_t alignment, std::size_t count, std::size_t size) {
    std::size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes)
               ? nullptr
               : mem::allocate(or_default(handle), alignment, bytes, Content::zero);
}

} // namespace

void abi::make_initial_allocator() {
    const icv::AllocatorRequest& request = icv::global().default_allocator;
    if (request.predefined != 0) return;
    mem::AllocatorTrait traits[icv::AllocatorRequest::kMaximumTraits];
    for (unsigned i = 0; i < request.trait_count; ++i)
        traits[i] = {request.traits[i].key, request.traits[i].value};
    AllocatorHandle handle = mem::make_allocator(request.space, request.trait_count, traits);
    if (handle == mem::kNullAllocator) {
        base::warn("OMP_ALLOCATOR asks for memory that there is not; using the default (omp_default_mem_alloc)");
        handle = mem::kDefaultAllocator;
    }
    icv::set_initial_allocator(handle);
}

TEFF_EXPORT void* GOMP_alloc(std::size_t alignment, std::size_t bytes, AllocatorHandle handle) {
    return mem::allocate(or_default(handle), alignment, bytes, Content::any);
}

TEFF_EXPORT void GOMP_free(void* memory, AllocatorHandle) { mem::free(memory); }

TEFF_EXPORT void GOMP_add_alloc(void* memory) { mem::remember_allocation(memory); }
TEFF_EXPORT bool GOMP_is_alloc(void* memory) { return mem::forget_allocation(memory); }

TEFF_EXPORT void* omp_alloc(std::size_t bytes, AllocatorHandle handle) {
    return mem::allocate(or_default(handle), 1, bytes, Content::any);
}

TEFF_EXPORT void* omp_aligned_alloc(std::size_t alignment, std::size_t bytes, AllocatorHandle handle) {
    return mem::allocate(or_default(handle), alignment, bytes, Content::any);
}

TEFF_EXPORT void* omp_calloc(std::size_t count, std::size_t size, AllocatorHandle handle) {
    return allocate_zeroed(handle, 1, count, size);
}

TEFF_EXPORT void* omp_aligned_calloc(std::size_t alignment, std::size_t count, std::size_t size,
                                     AllocatorHandle handle) {
    return allocate_zeroed(handle, alignment, count, size);
}

// If no allocator is named, the memory stays with the allocator from which it came.
TEFF_EXPORT void* omp_realloc(void* memory, std::size_t bytes, AllocatorHandle handle, AllocatorHandle) {
    const bool stays = handle == mem::kNullAllocator && memory != nullptr;
    if (bytes != 0) return mem::reallocate(stays ? mem::allocator_of(memory) : or_default(handle), memory, bytes);
    mem::free(memory);
    return nullptr;
}

TEFF_EXPORT void omp_free(void* memory, AllocatorHandle) { mem::free(memory); }

TEFF_EXPORT AllocatorHandle omp_get_default_allocator() { return or_default(mem::kNullAllocator); }

TEFF_EXPORT void omp_set_default_allocator(AllocatorHandle handle) {
    if (handle == mem::kNullAllocator) handle = mem::kDefaultAllocator;
    abi::change_icvs([=](icv::TaskIcvs& icvs) { icvs.default_allocator = handle; });
}

TEFF_EXPORT AllocatorHandle omp_init_allocator(std::uintptr_t space, int count, const mem::AllocatorTrait* traits) {
    abi::first_use();
    return mem::make_allocator(space, count, traits);
}

TEFF_EXPORT void omp_destroy_allocator(AllocatorHandle handle) { mem::destroy_allocator(handle); }
