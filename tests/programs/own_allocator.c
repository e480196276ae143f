// SPDX-License-Identifier: Apache-2.0
// An allocator of the program's own, with a lock and with a structure on its stack. If other code
// allocates memory while the thread is inside this allocator, the thread deadlocks.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Alignas(16) char pool[64 << 20];
static size_t used;
static char lock;

struct request {
    size_t bytes, rounded;
};

__attribute__((noinline)) static void* carve(struct request* request) {
    request->rounded = (request->bytes + 31) & ~(size_t)15;
    char* block = pool + used;
    used += request->rounded;
    *(size_t*)block = request->bytes;
    return block + 16;
}

void* malloc(size_t bytes) {
    struct request request = {bytes, 0};
    while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE)) {
    }
    void* block = carve(&request);
    __atomic_clear(&lock, __ATOMIC_RELEASE);
    return block;
}

void free(void* block) { (void)block; }

void* calloc(size_t number, size_t bytes) { return malloc(number * bytes); } // the pool is all zero

void* realloc(void* old, size_t bytes) {
    char* block = malloc(bytes);
    const size_t had = old != NULL ? ((size_t*)old)[-2] : 0;
    return old != NULL ? memcpy(block, old, had < bytes ? had : bytes) : block;
}

int main(void) {
#pragma omp parallel num_threads(2)
    {
        volatile char* block = malloc(10);
        block[0] = 1;
    }
    puts("ok");
    return 0;
}
