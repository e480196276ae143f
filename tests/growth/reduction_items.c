// SPDX-License-Identifier: Apache-2.0
// Runs one taskgroup with N task reductions, where N is the argument. One task takes part in all
// the reductions, first by the addresses of the original variables, and then by the addresses of
// its copies. The program calls the entry points directly, as GCC's code does, because the number
// of list items in a pragma must be known to the compiler.
#include <stdint.h>
#include <stdlib.h>

void GOMP_taskgroup_start(void);
void GOMP_taskgroup_end(void);
void GOMP_taskgroup_reduction_register(uintptr_t* block);
void GOMP_taskgroup_reduction_unregister(uintptr_t* block);
void GOMP_task_reduction_remap(size_t count, size_t with_original, void** addresses);

enum { kHead = 7, kItem = 3 };

static uintptr_t* block_of(long* originals, size_t count) {
    uintptr_t* block = calloc(kHead + kItem * count, sizeof *block);
    block[0] = count;
    block[1] = (count * sizeof(long) + 63) / 64 * 64;
    block[2] = 64;
    block[3] = (uintptr_t)-1;
    for (size_t i = 0; i < count; ++i) {
        block[kHead + kItem * i] = (uintptr_t)&originals[i];
        block[kHead + kItem * i + 1] = i * sizeof(long);
    }
    return block;
}

static int remap(long* originals, void** addresses, size_t count) {
    GOMP_task_reduction_remap(count, count, addresses);
    int wrong = 0;
    for (size_t i = 0; i < count; ++i)
        wrong |= addresses[count + i] != &originals[i] || addresses[i] == &originals[i];
    return wrong;
}

int main(int words, char** word) {
    const size_t count = words > 1 ? strtoul(word[1], NULL, 10) : 1;
    long* originals = calloc(count, sizeof *originals);
    void** addresses = malloc(2 * count * sizeof *addresses);
    uintptr_t* block = block_of(originals, count);
    for (size_t i = 0; i < count; ++i)
        addresses[i] = &originals[i];
    GOMP_taskgroup_start();
    GOMP_taskgroup_reduction_register(block);
    int wrong = remap(originals, addresses, count);
    wrong |= remap(originals, addresses, count); // by the copies' addresses
    GOMP_taskgroup_end();
    GOMP_taskgroup_reduction_unregister(block);
    return wrong;
}
