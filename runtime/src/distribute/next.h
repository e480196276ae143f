// SPDX-License-Identifier: Apache-2.0
//
// The functions that libteff-distribute.so intercepts, as the program would find them without it.
//
// Found by the dynamic linker's order, and by nothing else that a newer C library alone has: the
// library is loaded into whatever the program starts, and one name that is missing there would end
// it. So dlsym is asked for by its oldest version, from libdl.so.2, which all of glibc has, and
// musl takes for itself.
#pragma once

#include <cstddef>
#include <cstring>
#include <dlfcn.h>
#include <sys/types.h>

// glibc's own name of its malloc, whoever stands in front of it. Null: another C library.
extern "C" [[gnu::weak]] void* __libc_malloc(std::size_t bytes);
extern "C" void* teff_first_dlsym(void* where, const char* name) noexcept;
__asm__(".symver teff_first_dlsym, dlsym@GLIBC_2.2.5");

namespace teff::distribute {

// By types of our own: those of the C library's headers tell the compiler that nobody looks in
// front of a block.
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
    int (*mallopt)(int parameter, int value); // null: not glibc

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
