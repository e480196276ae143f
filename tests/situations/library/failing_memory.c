// SPDX-License-Identifier: Apache-2.0
//
// A library to preload: it makes allocations of the OpenMP runtime fail. Only calls from a
// libgomp.so.1 count; those of the program and of the C library succeed.
//
//     FAULTS_AT=n         the n-th call fails (1, 2, ...)
//     FAULTS_FROM=n       the n-th call and all after it fail
//     FAULTS_COUNT=path   at the end, the number of calls is written there
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static atomic_long calls;
static long at, from;

__attribute__((constructor)) static void begin(void) {
    if (getenv("FAULTS_AT")) at = atol(getenv("FAULTS_AT"));
    if (getenv("FAULTS_FROM")) from = atol(getenv("FAULTS_FROM"));
}

__attribute__((destructor)) static void end(void) {
    const char* path = getenv("FAULTS_COUNT");
    FILE* file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld\n", atomic_load(&calls));
    fclose(file);
}

static int fails(void* caller) {
    Dl_info info;
    if (!dladdr(caller, &info) || !info.dli_fname || !strstr(info.dli_fname, "libgomp.so.1")) return 0;
    const long call = atomic_fetch_add(&calls, 1) + 1;
    if (call != at && (from == 0 || call < from)) return 0;
    errno = ENOMEM;
    return 1;
}

#define FAILS fails(__builtin_return_address(0))

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

void* malloc(size_t bytes) { return FAILS ? NULL : __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) { return FAILS ? NULL : __libc_calloc(count, bytes); }
void* realloc(void* memory, size_t bytes) { return FAILS ? NULL : __libc_realloc(memory, bytes); }
void* aligned_alloc(size_t align, size_t bytes) { return FAILS ? NULL : __libc_memalign(align, bytes); }
void* memalign(size_t align, size_t bytes) { return FAILS ? NULL : __libc_memalign(align, bytes); }

int posix_memalign(void** memory, size_t align, size_t bytes) {
    if (FAILS) return ENOMEM;
    *memory = __libc_memalign(align, bytes);
    return *memory ? 0 : ENOMEM;
}

void* mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset) {
    static void* (*next)(void*, size_t, int, int, int, off_t);
    if (FAILS) return MAP_FAILED;
    if (!next) next = (void* (*)(void*, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
    return next(address, bytes, protection, flags, file, offset);
}
