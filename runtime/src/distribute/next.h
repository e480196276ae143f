// SPDX-License-Identifier: Apache-2.0
//
// The next functions: the functions that the program would find under the intercepted names without
// libteff-distribute.so.
//
// dlsym finds the next functions, in the dynamic linker's order. This library is also loaded into
// all programs that the program starts, and a single symbol that their C library lacks would end
// these programs. So this library uses no symbol that only a newer C library has. It asks for dlsym
// by the symbol's oldest version, from libdl.so.2. All versions of glibc have this symbol, and musl
// treats the
// name libdl.so.2 as its own.
#pragma once

#include <cstddef>
#include <cstring>
#include <dlfcn.h>
#include <sys/types.h>

#include "base/arch/arch.h"

// glibc's own name of its malloc, even if another library intercepts malloc. Null if the C library
// is not glibc.
extern "C" [[gnu::weak]] void* __libc_malloc(std::size_t bytes);
extern "C" void* teff_first_dlsym(void* where, const char* name) noexcept;
__asm__(".symver teff_first_dlsym, dlsym@" TEFF_FIRST_GLIBC);

namespace teff::distribute {

// The next functions. Their types are not taken from the C library's headers: the attributes there
// tell the compiler that no code reads the words in front of a block, which block.h does.
struct Next {
    void* (*malloc)(std::size_t bytes);
    void* (*calloc)(std::size_t count, std::size_t bytes);
    void* (*realloc)(void* block, std::size_t bytes);
    void* (*memalign)(std::size_t alignment, std::size_t bytes);
    void* (*aligned_alloc)(std::size_t alignment, std::size_t bytes);
    int (*posix_memalign)(void** result, std::size_t alignment, std::size_t bytes);
    void* (*valloc)(std::size_t bytes);
    void* (*pvalloc)(std::size_t bytes);
    void* (*mmap)(void* hint, std::size_t bytes, int protection, int flags, int file, off_t offset);
    int (*prctl)(int option, ...);
    int (*mallopt)(int parameter, int value); // null: the C library is not glibc

    bool is_glibc() const { return malloc != nullptr && malloc == &__libc_malloc; }
};

template <class Function> void find(Function& function, const char* name) {
    void* const found = teff_first_dlsym(RTLD_NEXT, name);
    std::memcpy(&function, &found, sizeof function);
}

inline void find_all(Next& next) {
    find(next.malloc, "malloc");
    find(next.calloc, "calloc");
    find(next.realloc, "realloc");
    find(next.memalign, "memalign");
    find(next.aligned_alloc, "aligned_alloc");
    find(next.posix_memalign, "posix_memalign");
    find(next.valloc, "valloc");
    find(next.pvalloc, "pvalloc");
    find(next.mmap, "mmap");
    find(next.prctl, "prctl");
    find(next.mallopt, "mallopt");
}

} // namespace teff::distribute
