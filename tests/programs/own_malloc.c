// SPDX-License-Identifier: Apache-2.0
// An allocator like those that some programs contain. It maps each block separately. In front of
// each block it keeps words that look like those of glibc for a block with a mapping of its own.
// The allocator maps under a lock, as others do: a call from inside the mapping would deadlock, and
// ends the program here.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { FRONT = 64 };

struct front {
    size_t mapped;
    size_t words[FRONT / sizeof(size_t) - 2];
    size_t as_glibc;
};

static __thread int locked;

static struct front* front_of(void* block) { return (struct front*)((char*)block - FRONT); }

void* malloc(size_t bytes) {
    const size_t whole = (bytes + FRONT + 4095) / 4096 * 4096;
    if (whole < bytes) return NULL;
    if (locked++) abort();
    struct front* front = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    --locked;
    if (front == MAP_FAILED) return NULL;
    front->mapped = whole;
    front->as_glibc = (whole - FRONT + 16) | 2;
    return (char*)front + FRONT;
}

size_t malloc_usable_size(void* block) { return front_of(block)->mapped - FRONT; }

void free(void* block) {
    if (block != NULL) munmap(front_of(block), front_of(block)->mapped);
}

void* calloc(size_t count, size_t bytes) {
    size_t all;
    return __builtin_mul_overflow(count, bytes, &all) ? NULL : malloc(all);
}

void* realloc(void* block, size_t bytes) {
    void* const other = malloc(bytes);
    if (other == NULL || block == NULL) return other;
    const size_t held = malloc_usable_size(block);
    memcpy(other, block, held < bytes ? held : bytes);
    free(block);
    return other;
}
