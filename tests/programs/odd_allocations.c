// SPDX-License-Identifier: Apache-2.0
// Unusual uses of big allocations, in addition to those of allocations.c. The first argument names
// the case. The process fails if there is an error, and prints nothing else.
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KIB = 1 << 10, MIB = 1 << 20 };

static int fail(const char* why) {
    fprintf(stderr, "%s\n", why);
    return 1;
}

static int is_all(const char* block, char value, size_t bytes) {
    for (size_t at = 0; at < bytes; ++at)
        if (block[at] != value) return 0;
    return 1;
}

// A block of the heap becomes less than a page smaller; the new one may lie in a hole.
static int shrink(void) {
    enum { HOLES = 400, BEFORE = 68000, AFTER = 66000 };
    char* hole[HOLES];
    for (int i = 0; i < HOLES; ++i)
        hole[i] = malloc(1000);
    char* const pin = malloc(1000);
    for (int i = 0; i < HOLES; ++i)
        free(hole[i]);
    char* block = malloc(BEFORE);
    char *const behind = malloc(BEFORE), *const fence = malloc(AFTER), *const neighbour = malloc(1000);
    memset(block, 'a', BEFORE);
    memset(neighbour, 'n', 1000);
    free(fence);
    block = realloc(block, AFTER);
    if (!is_all(block, 'a', AFTER)) return fail("the block has lost something");
    if (!is_all(neighbour, 'n', 1000)) return fail("its neighbour is overwritten");
    free(block), free(neighbour), free(behind), free(pin);
    return 0;
}

// Room is left in the last page: nothing is copied.
static int grow(void) {
    char* block = malloc(MIB);
    memset(block, 1, MIB);
    const uintptr_t before = (uintptr_t)block;
    const size_t room = malloc_usable_size(block);
    for (size_t bytes = MIB; bytes + 16 <= room; bytes += 8)
        block = realloc(block, bytes);
    return (uintptr_t)block == before && is_all(block, 1, MIB) ? 0 : fail("the block was moved");
}

static void map_in_handler(int signal) {
    (void)signal;
    void* const memory = mmap(NULL, 2 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) _exit(3);
    munmap(memory, 2 * MIB);
}

// A signal comes while the first big block is made, and its handler maps memory.
static int handler(const char* delay_us) {
    signal(SIGALRM, map_in_handler);
    const struct itimerval timer = {{0, 0}, {0, atoi(delay_us)}};
    setitimer(ITIMER_REAL, &timer, NULL);
    char* const block = malloc(4 * MIB);
    memset(block, 1, 4 * MIB);
    return !is_all(block, 1, 4 * MIB);
}

// An arena grows in steps at addresses of its own choice, and is moved as one.
static int neighbours(void) {
    const int fixed = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, both = PROT_READ | PROT_WRITE;
    char* const arena = mmap(NULL, 16 * MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (arena == MAP_FAILED || mmap(arena, 32 * KIB, both, fixed, -1, 0) == MAP_FAILED ||
        mmap(arena + 32 * KIB, 2 * MIB, both, fixed, -1, 0) == MAP_FAILED)
        return fail("cannot be mapped");
    const size_t bytes = 32 * KIB + 2 * MIB;
    memset(arena, 1, bytes);
    char* const moved = mremap(arena, bytes, 8 * MIB, MREMAP_MAYMOVE);
    return moved != MAP_FAILED && is_all(moved, 1, bytes) ? 0 : fail("cannot be moved");
}

static long most_mappings(void) {
    long most = 0;
    FILE* const file = fopen("/proc/sys/vm/max_map_count", "r");
    if (file == NULL || fscanf(file, "%ld", &most) != 1) most = 0;
    if (file != NULL) fclose(file);
    return most;
}

static long count_mappings(void) {
    long lines = 0;
    FILE* const maps = fopen("/proc/self/maps", "r");
    for (int c; maps != NULL && (c = fgetc(maps)) != EOF;)
        lines += c == '\n';
    if (maps != NULL) fclose(maps);
    return lines;
}

// More blocks than a process may have mappings, with holes between them.
static int many(void) {
    enum { BLOCKS = 66000 };
    static char* blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; ++i)
        if ((blocks[i] = malloc(70000)) == NULL) return fail("no memory");
    for (int i = 0; i < BLOCKS; i += 2)
        free(blocks[i]);
    const long mappings = count_mappings();
    if (mappings > most_mappings() / 3) fprintf(stderr, "%ld mappings\n", mappings);
    return mappings > most_mappings() / 3;
}

// From here on the kernel ends the process when it is asked for a memory policy or `forbidden`.
static int forbid(int forbidden, unsigned flags, int by_prctl) {
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mbind, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_get_mempolicy, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, forbidden, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {sizeof rules / sizeof rules[0], rules};
    if (!by_prctl) return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int restricted(int forbidden, int by_prctl) {
    char* const before = malloc(4 * MIB);
    if (forbid(forbidden, 0, by_prctl) != 0) return 77;
    char *const block = malloc(4 * MIB), *const grown = realloc(before, 9 * MIB);
    memset(block, 1, 4 * MIB);
    memset(grown, 1, 9 * MIB);
    void* const memory = mmap(NULL, 2 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED;
}

static void* allocate_on(void* unused) {
    for (;;) {
        void* volatile block = malloc(2 * MIB);
        free(block);
    }
    return unused;
}

// A filter for all threads, while others allocate.
static int restricted_threads(void) {
    pthread_t thread;
    for (int i = 0; i < 3; ++i)
        if (pthread_create(&thread, NULL, allocate_on, NULL) != 0) return fail("no thread");
    usleep(5000);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || forbid(SYS_prctl, SECCOMP_FILTER_FLAG_TSYNC, 0) != 0) return 77;
    usleep(5000);
    return 0;
}

// What a child does in memory that it shares is not for its parent, which it stops till then.
static int restricted_child(void) {
    char* before = malloc(4 * MIB);
    before[0] = 1;
    const pid_t child = vfork();
    if (child == 0) _exit(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    waitpid(child, NULL, 0);
    char* const block = malloc(4 * MIB);
    block[0] = 1;
    int policy = -1, policy_before = -1;
    if (syscall(SYS_get_mempolicy, &policy, NULL, 0, block, 2 /* MPOL_F_ADDR */) != 0 ||
        syscall(SYS_get_mempolicy, &policy_before, NULL, 0, before, 2) != 0)
        return 77;
    return policy_before != 0 && policy == policy_before ? 0 : fail("the parent is restricted");
}

// One that is forked has memory of its own, and restricts itself.
static int restricted_fork(void) {
    const pid_t child = fork();
    if (child == 0) _exit(restricted(SYS_prctl, 1));
    int status = 0;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return fail("the child was killed");
    return WEXITSTATUS(status);
}

static int allow_all(void) {
    struct sock_filter rule = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {1, &rule};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

// Starts another program, unless no filter could be set for it.
static int start(int no_filter, char** words) {
    if (no_filter) return 77;
    execvp(words[0], words);
    return fail(words[0]);
}

int main(int argc, char** argv) {
    const char* const what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "shrink") == 0) return shrink();
    if (strcmp(what, "grow") == 0) return grow();
    if (strcmp(what, "handler") == 0 && argc > 2) return handler(argv[2]);
    if (strcmp(what, "neighbours") == 0) return neighbours();
    if (strcmp(what, "many") == 0) return many();
    if (strcmp(what, "restricted") == 0) return restricted(SYS_prctl, 1);
    if (strcmp(what, "restricted_by_root") == 0) return restricted(SYS_mbind, 0);
    if (strcmp(what, "restricted_threads") == 0) return restricted_threads();
    if (strcmp(what, "restricted_child") == 0) return restricted_child();
    if (strcmp(what, "restricted_fork") == 0) return restricted_fork();
    if (strcmp(what, "restricts") == 0 && argc > 2) return start(forbid(SYS_mbind, 0, 1), argv + 2);
    if (strcmp(what, "filters") == 0 && argc > 2) return start(allow_all(), argv + 2);
    return 2;
}
