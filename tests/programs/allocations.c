// SPDX-License-Identifier: Apache-2.0
// Checks the big allocations of a program that does not know Teff: each kind of allocation can be
// written and read, and has the right memory policy according to /proc/self/numa_maps.
//
//     allocations POLICY [MAPPING-POLICY]    of blocks, and of the program's own mappings
//
// Prints only errors, and fails if there is one.
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MIB = 1 << 20, BIG = 3 * MIB, SMALL = 900 };

static int failed;
static const char *block_policy, *mapping_policy;

static void say(const char* what, const char* why) {
    fprintf(stderr, "%s: %s\n", what, why);
    failed = 1;
}

// The policy of the mapping that an address lies in, without its nodes.
static void find_policy(const void* address, char policy[64]) {
    char* line = NULL;
    size_t room = 0;
    FILE* maps = fopen("/proc/self/numa_maps", "r");
    strcpy(policy, "none");
    while (maps != NULL && getline(&line, &room, maps) > 0) {
        unsigned long begin = 0;
        char found[64] = "";
        if (sscanf(line, "%lx %63[^: \n]", &begin, found) == 2 && begin <= (uintptr_t)address) strcpy(policy, found);
    }
    free(line);
    if (maps != NULL) fclose(maps);
}

static void check_policy(const char* what, const void* address, const char* expected) {
    char policy[64];
    find_policy(address, policy);
    if (strcmp(policy, expected) != 0) say(what, policy);
}

static void fill(char* block, size_t bytes) {
    for (size_t at = 0; at < bytes; ++at)
        block[at] = (char)(at * 31 >> 3);
}

static int is_filled(const char* block, size_t bytes) {
    for (size_t at = 0; at < bytes; ++at)
        if (block[at] != (char)(at * 31 >> 3)) return 0;
    return 1;
}

// Takes the block.
static void check_block(const char* what, void* block, size_t bytes, const char* policy) {
    if (block == NULL) return say(what, "no memory");
    if (malloc_usable_size(block) < bytes) say(what, "is too small");
    check_policy(what, (char*)block + bytes / 2, policy);
    fill(block, bytes);
    if (!is_filled(block, bytes)) say(what, "does not hold what was written");
    free(block);
}

static void check_zeros(void) {
    char* block = calloc(3, MIB);
    for (size_t at = 0; block != NULL && at < 3 * MIB; ++at)
        if (block[at] != 0) return say("calloc", "is not zero");
    check_block("calloc", block, 3 * MIB, block_policy);
}

static void check_growth(void) {
    char* block = NULL;
    for (size_t bytes = 1000; bytes <= 20 * MIB; bytes = bytes * 3 / 2) {
        char* const bigger = realloc(block, bytes);
        if (bigger == NULL) return say("realloc", "no memory");
        block = bigger;
        if (!is_filled(block, bytes * 2 / 3 < 1000 ? 0 : bytes * 2 / 3 - 2)) return say("realloc", "lost something");
        fill(block, bytes);
        if (bytes > MIB) check_policy("realloc", block + bytes / 2, block_policy);
    }
    block = realloc(block, SMALL);
    if (block == NULL || !is_filled(block, SMALL)) say("realloc", "lost something when it became small");
    free(block);
}

static void check_aligned(void) {
    void* block = NULL;
    if (posix_memalign(&block, 1 << 16, BIG) != 0 || (uintptr_t)block % (1 << 16) != 0)
        say("posix_memalign", "is not aligned");
    check_block("posix_memalign", block, BIG, block_policy);
    if (posix_memalign(&block, 3, BIG) != EINVAL) say("posix_memalign", "takes 3 for an alignment");
    block = aligned_alloc(4 * MIB, 4 * MIB);
    if ((uintptr_t)block % (4 * MIB) != 0) say("aligned_alloc", "is not aligned");
    check_block("aligned_alloc", block, 4 * MIB, block_policy);
    check_block("memalign", memalign(64, BIG), BIG, block_policy);
    check_block("valloc", valloc(BIG), BIG, block_policy);
    check_block("pvalloc", pvalloc(BIG), BIG, block_policy);
}

static void check_too_much(void) {
    volatile size_t most = SIZE_MAX / 2 - 100, half = SIZE_MAX / 2;
    char* const kept = malloc(BIG);
    if (kept == NULL) return say("malloc", "no memory");
    fill(kept, BIG);
    errno = 0;
    if (malloc(most) != NULL || errno != ENOMEM) say("malloc", "of too much");
    if (calloc(half, 3) != NULL || errno != ENOMEM) say("calloc", "of too much");
    char* const moved = realloc(kept, most);
    if (moved != NULL || errno != ENOMEM) return say("realloc", "to too much");
    void* aligned = NULL;
    if (posix_memalign(&aligned, 64, most) != ENOMEM) say("posix_memalign", "of too much");
    errno = 7;
    free(malloc(BIG));
    if (errno != 7) say("malloc", "changed errno");
    if (!is_filled(kept, BIG)) say("realloc", "that failed changed the block");
    free(kept);
}

static void check_mapping(const char* what, int protection, int flags, const char* policy) {
    char* const memory = mmap(NULL, BIG, protection, flags | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return say(what, "cannot be mapped");
    check_policy(what, memory, policy);
    if (protection != PROT_NONE) fill(memory, BIG);
    munmap(memory, BIG);
}

static void check_mappings(void) {
    enum { BOTH = PROT_READ | PROT_WRITE };
    check_mapping("a mapping", BOTH, MAP_PRIVATE, mapping_policy);
    check_mapping("a shared mapping", BOTH, MAP_SHARED, mapping_policy);
    check_mapping("a reservation", PROT_NONE, MAP_PRIVATE | MAP_NORESERVE, "default");
    check_mapping("a stack", BOTH, MAP_PRIVATE | MAP_STACK, "default");
    check_mapping("pages that are there", BOTH, MAP_PRIVATE | MAP_POPULATE, "default");
    errno = 0;
    if (mmap(NULL, (size_t)1 << 62, BOTH, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED || errno != ENOMEM)
        say("a mapping", "of too much");
}

// What the C library keeps mapped or not by itself must not decide.
static void check_again(void) {
    for (int turn = 0; turn < 4; ++turn)
        free(malloc(30 * MIB));
    check_block("malloc after free", malloc(BIG), BIG, block_policy);
}

static void* in_a_thread(void* unused) {
    (void)unused;
    for (int turn = 0; turn < 50; ++turn) {
        char* const block = malloc(BIG);
        if (block == NULL) return NULL;
        fill(block, 100000);
        if (!is_filled(block, 100000)) say("a thread", "does not find what it wrote");
        free(block);
    }
    return NULL;
}

static void check_threads_and_forks(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i)
        pthread_create(&threads[i], NULL, in_a_thread, NULL);
    for (int turn = 0; turn < 20; ++turn) {
        const pid_t child = fork();
        if (child == 0) {
            check_block("malloc in a child", malloc(BIG), BIG, block_policy);
            _exit(failed);
        }
        int status = 1;
        if (waitpid(child, &status, 0) != child || status != 0) say("a child", "failed");
    }
    for (int i = 0; i < 4; ++i)
        pthread_join(threads[i], NULL);
}

int main(int argc, char** argv) {
    block_policy = argc > 1 ? argv[1] : "default";
    mapping_policy = argc > 2 ? argv[2] : block_policy;
    check_block("a small block", malloc(SMALL), SMALL, "default");
    check_block("malloc", malloc(BIG), BIG, block_policy);
    check_zeros();
    check_growth();
    check_aligned();
    check_too_much();
    check_mappings();
    check_again();
    check_threads_and_forks();
    return failed;
}
