// SPDX-License-Identifier: Apache-2.0
//
// malloc and related functions, for the whole process. The calling module decides where a block
// lies: the program's blocks are in shared memory. Blocks that the C library and other system
// libraries allocate for themselves (buffers of files, for instance) are in the C library's heap,
// of which each process has its own. A freed block goes back to the heap in which it lies.
//
// Memory requested through C++'s operator new belongs to the program (modules.h), even if the
// request comes from libstdc++'s own code, for example from std::string.
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "abi/export.h"
#include "processes/heap.h"
#include "processes/interpose.h"
#include "processes/libc_memory.h"
#include "processes/run.h"

using namespace teff::processes;

namespace {

// If the run has one process, or has not begun, nothing is shared.
bool is_for_libc(const void* caller) { return !run::is_for_program(caller); }

void* or_no_memory(void* block) {
    if (block == nullptr) errno = ENOMEM;
    return block;
}

bool overflows(std::size_t count, std::size_t bytes, std::size_t& product) {
    return __builtin_mul_overflow(count, bytes, &product);
}

void* allocate_aligned(std::size_t alignment, std::size_t bytes, const void* caller) {
    if (is_for_libc(caller)) return __libc_memalign(alignment, bytes);
    return heap::allocate_aligned(alignment, bytes);
}

void release(void* block) {
    if (heap::owns(block)) heap::release(block);
    else __libc_free(block);
}

} // namespace

TEFF_EXPORT void* malloc(std::size_t bytes) {
    return is_for_libc(TEFF_CALLER) ? __libc_malloc(bytes) : or_no_memory(heap::allocate(bytes));
}

TEFF_EXPORT void free(void* block) { release(block); }

TEFF_EXPORT void* calloc(std::size_t count, std::size_t bytes) {
    if (is_for_libc(TEFF_CALLER)) return __libc_calloc(count, bytes);
    std::size_t product;
    if (overflows(count, bytes, product)) return or_no_memory(nullptr);
    return or_no_memory(heap::allocate_zeroed(product));
}

TEFF_EXPORT void* realloc(void* block, std::size_t bytes) {
    if (block == nullptr ? is_for_libc(TEFF_CALLER) : !heap::owns(block)) return __libc_realloc(block, bytes);
    if (block == nullptr) return or_no_memory(heap::allocate(bytes));
    if (bytes == 0) return heap::release(block), nullptr;
    return or_no_memory(heap::resize(block, bytes));
}

TEFF_EXPORT void* reallocarray(void* block, std::size_t count, std::size_t bytes) {
    std::size_t product;
    if (overflows(count, bytes, product)) return or_no_memory(nullptr);
    if (block == nullptr ? is_for_libc(TEFF_CALLER) : !heap::owns(block)) return __libc_realloc(block, product);
    return or_no_memory(block == nullptr ? heap::allocate(product) : heap::resize(block, product));
}

TEFF_EXPORT int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) {
    if (alignment < sizeof(void*) || (alignment & (alignment - 1)) != 0) return EINVAL;
    void* const block = allocate_aligned(alignment, bytes, TEFF_CALLER);
    if (block == nullptr) return ENOMEM;
    *result = block;
    return 0;
}

TEFF_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
    return or_no_memory(allocate_aligned(alignment, bytes, TEFF_CALLER));
}
TEFF_EXPORT void* memalign(std::size_t alignment, std::size_t bytes) {
    return or_no_memory(allocate_aligned(alignment, bytes, TEFF_CALLER));
}
TEFF_EXPORT std::size_t malloc_usable_size(void* block) {
    if (heap::owns(block)) return heap::usable(block);
    static std::size_t (*real)(void*) = nullptr;
    return next(real, "malloc_usable_size")(block);
}
TEFF_EXPORT void* valloc(std::size_t bytes) { return or_no_memory(allocate_aligned(4096, bytes, TEFF_CALLER)); }
