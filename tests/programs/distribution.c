// SPDX-License-Identifier: Apache-2.0
// Tests the memory of teff.h: with every size and distribution it can be written and freed, and the
// answers about its nodes are consistent. Compiles as C and as C++. Prints over how many nodes
// memory spreads.
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <teff.h>

enum { NODES = 64, THREADS = 4, ROUNDS = 50 };

static int fail(const char *what) {
    fprintf(stderr, "wrong: %s\n", what);
    exit(1);
}

// Returns the number of nodes over which these bytes lie; 0: not known.
static int check_nodes(const void *memory, size_t size) {
    size_t bytes[NODES], sum = 0;
    int nodes = omp_malloc_bytes_per_node(memory, size, bytes, NODES);
    for (int node = 0; node < nodes; ++node)
        sum += bytes[node];
    if (nodes != 0 && sum != size) fail("the bytes of all nodes are not those of the allocation");
    return nodes;
}

static int check(size_t size, int distribution) {
    char *memory =
        (char *)(distribution < 0 ? omp_malloc(size) : omp_malloc_specific(size, (omp_malloc_distribution_t)distribution));
    if (memory == NULL && size != 0) fail("no memory");
    if ((uintptr_t)memory % 16 != 0) fail("not aligned");
    if (size != 0) memset(memory, distribution + 2, size);
    int nodes = check_nodes(memory, size);
    if (size != 0 && (memory[0] != distribution + 2 || memory[size - 1] != distribution + 2)) fail("written over");
    omp_malloc_free(memory);
    return nodes;
}

int main(void) {
    static const size_t sizes[] = {0, 1, 100, 4095, 4096, 4097, 100000, 2 << 20, (5 << 20) + 123};
    int most = 0;
#pragma omp parallel num_threads(THREADS) reduction(max : most)
    for (int round = 0; round < ROUNDS; ++round)
        for (int distribution = -1; distribution <= OMP_MALLOC_NEAREST; ++distribution)
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
                int nodes = check(sizes[(i + (size_t)round) % (sizeof sizes / sizeof *sizes)], distribution);
                if (nodes > most) most = nodes;
            }
    omp_malloc_free(NULL);
    int local = 0;
    if (check_nodes(&local, sizeof local) != 0) fail("a variable is no allocation");

    // A partition is a trait of OpenMP's own allocators.
    for (int partition = omp_atv_environment; partition <= (int)omp_atv_interleaved; ++partition) {
        omp_alloctrait_t trait = {omp_atk_partition, (omp_uintptr_t)partition};
        omp_allocator_handle_t allocator = omp_init_allocator(omp_default_mem_space, 1, &trait);
        if (allocator == omp_null_allocator) fail("no allocator");
        char *memory = (char *)omp_alloc(100000, allocator);
        if (memory == NULL) fail("no memory of an allocator");
        memset(memory, partition, 100000);
        omp_free(memory, allocator);
        omp_destroy_allocator(allocator);
    }
    printf("%d\n", most);
    return 0;
}
