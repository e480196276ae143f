// SPDX-License-Identifier: Apache-2.0
// A program in C that does not know Teff: `teff run --distribute` spreads its big allocations.
//
//     spread SPREAD NODES              as judge.h has them
//     spread binds=NODE                binds itself to a node first, by its own set_mempolicy
//     spread many                      thousands of blocks; then more mappings, which must not fail
//     spread bound=NODE PROGRAM...     runs a program as numactl --membind does
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "judge.h"

enum { MIB = 1 << 20 };

static void touch(const char* name, void* block, size_t bytes) {
    memset(block, 1, bytes);
    judge_block(name, block, bytes);
}

static void check_blocks(void) {
    char* const first = malloc(MIB);
    touch("malloc of 1 MiB", first, MIB);
    char* const second = calloc(3, MIB + 5000);
    touch("calloc of 3 MiB", second, 3 * (MIB + 5000));
    void* aligned = NULL;
    if (posix_memalign(&aligned, 2 * MIB, 4 * MIB) != 0) exit(2);
    touch("posix_memalign of 4 MiB", aligned, 4 * MIB);
    free(first);
    for (int turn = 0; turn < 5; ++turn) { // glibc would keep such blocks in its heap
        char* const again = malloc(5 * MIB);
        touch("malloc after free", again, 5 * MIB);
        free(again);
    }
    free(second);
    free(aligned);
}

// The first block that has a mapping of its own is copied there; what comes after it is spread.
static void check_growth(void) {
    char* block = NULL;
    size_t held = 0, copied = 0;
    for (size_t bytes = 300000; bytes < 9 * MIB; bytes *= 2) {
        block = realloc(block, bytes);
        if (block == NULL) exit(2);
        if (bytes < MIB) copied = bytes;
        memset(block + held, 1, bytes - held);
        held = bytes;
    }
    copied += 2 * 4096; // its header, and the rest of a page
    judge_block("realloc, step by step", block + copied, held - copied);
    free(block);
}

static void check_mappings(void) {
    for (int shared = 0; shared < 2; ++shared) {
        const int flags = MAP_ANONYMOUS | (shared ? MAP_SHARED : MAP_PRIVATE);
        char* const memory = mmap(NULL, 2 * MIB + 9000, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (memory == MAP_FAILED) exit(2);
        touch(shared ? "a shared mapping" : "a mapping", memory, 2 * MIB + 9000);
        munmap(memory, 2 * MIB + 9000);
    }
}

static void* allocate(void* unused) {
    (void)unused;
    char* const block = malloc(2 * MIB);
    touch("malloc in a thread", block, 2 * MIB);
    return block;
}

static void check_thread_and_child(void) {
    pthread_t thread;
    void* block = NULL;
    if (pthread_create(&thread, NULL, allocate, NULL) != 0 || pthread_join(thread, &block) != 0) exit(2);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        free(block);
        char* const its_own = malloc(2 * MIB);
        touch("malloc in a child", its_own, 2 * MIB);
        fflush(stdout);
        _exit(judge_end());
    }
    int status = 1;
    waitpid(child, &status, 0);
    printf("%s a child ends with %d\n", status == 0 ? "ok" : "FAILED", status);
    free(block);
}

static long mappings(void) {
    long lines = 0;
    FILE* maps = fopen("/proc/self/maps", "r");
    for (int c; maps != NULL && (c = fgetc(maps)) != EOF;)
        lines += c == '\n';
    if (maps != NULL) fclose(maps);
    return lines;
}

// Every second page of a reservation gets other rights: each page is then a mapping.
static int map_more(long wanted) {
    const size_t bytes = (size_t)wanted * 4096;
    char* const memory = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return 0;
    for (size_t at = 4096; at < bytes; at += 2 * 4096)
        if (mprotect(memory + at, 4096, PROT_READ) != 0) return 0;
    return 1;
}

static int check_many(void) {
    long most = 0;
    FILE* file = fopen("/proc/sys/vm/max_map_count", "r");
    if (file == NULL || fscanf(file, "%ld", &most) != 1) return 2;
    fclose(file);
    long blocks = 0;
    while (blocks < 2 * most && malloc(MIB + 64) != NULL)
        ++blocks;
    const long now = mappings();
    const int bounded = blocks == 2 * most && now <= most / 2 + 20, room = map_more(most / 2 - 200);
    printf("%s many: %ld blocks, %ld mappings of %ld; %s\n", bounded && room ? "ok" : "FAILED", blocks, now, most,
           room ? "there is room for others" : "there is no room for others");
    return !(bounded && room);
}

static long bind_to(int node) {
    const unsigned long mask = 1UL << node;
    return syscall(SYS_set_mempolicy, 2, &mask, 64UL); // MPOL_BIND
}

int main(int argc, char** argv) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc > 1 && strcmp(argv[1], "many") == 0) return check_many();
    if (argc > 2 && strncmp(argv[1], "bound=", 6) == 0) {
        if (bind_to(atoi(argv[1] + 6)) == 0) execv(argv[2], argv + 2);
        perror(argv[2]);
        return 1;
    }
    if (argc > 1 && strncmp(argv[1], "binds=", 6) == 0) {
        judge_start("C, bound by itself", "fine", argv[1] + 6);
        if (bind_to(atoi(argv[1] + 6)) != 0) return 1;
        check_blocks();
        return judge_end();
    }
    if (argc != 3) return 2;
    judge_start("C", argv[1], argv[2]);
    check_blocks();
    check_mappings();
    judge_start("C", strcmp(argv[1], "coarse") == 0 ? "elsewhere" : argv[1], "");
    check_growth();
    check_thread_and_child();
    return judge_end();
}
