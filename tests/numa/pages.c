// SPDX-License-Identifier: Apache-2.0
// Checks where pages lie, on a machine with several NUMA nodes. One thread touches memory of each
// distribution. Then the node of each page, according to the kernel (move_pages(2)), is compared
// with the distribution and with the runtime's answers.
//
//     pages NODES [bind=NODE]    NODES: the numbers over which memory must spread, as in 0,2,3
//
// Prints a line per check, "ok ..." or "FAILED ...". Fails if a check fails.
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <teff.h>

enum { PAGE = 4096, MOST = 64 };

static int nodes[MOST], count;
static int failed;

static void say(int good, const char *format, const char *name, long a, long b) {
    printf("%s ", good ? "ok" : "FAILED");
    printf(format, name, a, b);
    putchar('\n');
    failed |= !good;
}

static void die(const char *what) {
    perror(what);
    exit(2);
}

static int node_of(void *page) {
    int status = -1;
    if (syscall(SYS_move_pages, 0, 1UL, &page, NULL, &status, 0) != 0) die("move_pages");
    return status;
}

static int index_of(int node) {
    for (int i = 0; i < count; ++i)
        if (nodes[i] == node) return i;
    return -1;
}

// The node that the runtime says a page is on, by its number.
static int said_node(char *page) {
    size_t bytes[MOST];
    int known = omp_malloc_bytes_per_node(page, 1, bytes, MOST);
    for (int i = 0; i < known; ++i)
        if (bytes[i] == 1) return i < count ? nodes[i] : -2;
    return -1;
}

// Touches all pages, and counts those of each node. Returns how many lie elsewhere than the runtime
// says.
static long count_pages(char *memory, long pages, long on[MOST]) {
    long elsewhere = 0;
    memset(on, 0, MOST * sizeof *on);
    for (long page = 0; page < pages; ++page) {
        char *at = memory + page * PAGE;
        *at = 1;
        int node = node_of(at), index = index_of(node);
        if (index >= 0) ++on[index];
        elsewhere += node != said_node(at);
    }
    return elsewhere;
}

static void check_fine(long pages) {
    char *memory = (char *)omp_malloc_specific((size_t)pages * PAGE, OMP_MALLOC_FINE);
    long on[MOST], elsewhere = count_pages(memory, pages, on), least = pages, most = 0;
    for (int i = 0; i < count; ++i) {
        least = on[i] < least ? on[i] : least;
        most = on[i] > most ? on[i] : most;
    }
    say(elsewhere == 0, "%s: %ld pages, %ld elsewhere than the runtime says", "fine", pages, elsewhere);
    say(most - least <= 1, "%s: from %ld to %ld pages on a node", "fine", least, most);
    omp_malloc_free(memory);
}

static void check_coarse(long pages) {
    int before = -1;
    for (int turn = 0; turn < 2 * count; ++turn) {
        char *memory = (char *)omp_malloc_specific((size_t)pages * PAGE, OMP_MALLOC_COARSE);
        long on[MOST], elsewhere = count_pages(memory, pages, on);
        int node = index_of(node_of(memory));
        say(elsewhere == 0 && node >= 0 && on[node] == pages, "%s: %ld pages on node %ld", "coarse", pages,
            node < 0 ? -1 : nodes[node]);
        say(before < 0 || node == (before + 1) % count, "%s: after node %ld comes node %ld", "coarse", before, node);
        before = node;
        omp_malloc_free(memory);
    }
}

static void check_blocked(long pages) {
    char *memory = (char *)omp_malloc_specific((size_t)pages * PAGE, OMP_MALLOC_BLOCKED);
    long on[MOST], elsewhere = count_pages(memory, pages, on), part = (pages + count - 1) / count;
    say(elsewhere == 0, "%s: %ld pages, %ld elsewhere than the runtime says", "blocked", pages, elsewhere);
    for (long page = 0; page < pages; ++page)
        if (node_of(memory + page * PAGE) != nodes[page / part])
            say(0, "%s: page %ld is not on node %ld", "blocked", page, nodes[page / part]);
    omp_malloc_free(memory);
}

static void run_on(int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) die("sched_setaffinity");
}

// Whoever touches it first: the thread is elsewhere by then.
static void check_nearest(long pages) {
    const int processors = (int)sysconf(_SC_NPROCESSORS_ONLN);
    for (int processor = 0; processor < processors; ++processor) {
        unsigned node;
        run_on(processor);
        syscall(SYS_getcpu, NULL, &node, NULL);
        if (index_of((int)node) < 0) continue;
        char *memory = (char *)omp_malloc_specific((size_t)pages * PAGE, OMP_MALLOC_NEAREST);
        run_on((processor + 1) % processors);
        long on[MOST], elsewhere = count_pages(memory, pages, on);
        say(elsewhere == 0 && on[index_of((int)node)] == pages, "%s: %ld pages on node %ld", "nearest", pages, node);
        omp_malloc_free(memory);
    }
    run_on(0);
}

static void check_standard(long pages) {
    unsigned node;
    syscall(SYS_getcpu, NULL, &node, NULL);
    char *memory = (char *)omp_malloc_specific((size_t)pages * PAGE, OMP_MALLOC_STANDARD);
    char *first = (char *)(((uintptr_t)memory + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
    for (long page = 0; page < pages - 1; ++page)
        first[page * PAGE] = 1;
    if (index_of((int)node) >= 0)
        say(node_of(first) == (int)node, "%s: %ld pages on node %ld", "standard", pages, node);
    say(said_node(first) == -1, "%s: the runtime does not claim to know%.0ld%.0ld", "standard", 0L, 0L);
    omp_malloc_free(memory);
}

// The memory of OpenMP's own allocators.
static void check_allocator(void) {
    enum { BYTES = 64 * PAGE };
    omp_alloctrait_t trait = {omp_atk_partition, omp_atv_interleaved};
    omp_allocator_handle_t allocator = omp_init_allocator(omp_default_mem_space, 1, &trait);
    char *memory = (char *)omp_alloc(BYTES, allocator);
    long on[MOST] = {0}, least = BYTES, most = 0;
    memset(memory, 1, BYTES);
    for (long at = 0; at < BYTES; at += PAGE)
        if (index_of(node_of(memory + at)) >= 0) ++on[index_of(node_of(memory + at))];
    for (int i = 0; i < count; ++i) {
        least = on[i] < least ? on[i] : least;
        most = on[i] > most ? on[i] : most;
    }
    say(least > 0 && most - least <= 1, "%s: from %ld to %ld pages on a node", "omp_atv_interleaved", least, most);
    omp_free(memory, allocator);
    omp_destroy_allocator(allocator);
}

// With parts of 8 pages: keys of OpenMP 6.0, which this compiler's omp.h need not have.
static void check_parts(void) {
    enum { PART = 8, PAGES = 80, PART_SIZE_KEY = 14 };
    omp_alloctrait_t traits[] = {{omp_atk_partition, omp_atv_interleaved},
                                 {(omp_alloctrait_key_t)PART_SIZE_KEY, (omp_uintptr_t)PART * PAGE - 1}};
    omp_allocator_handle_t allocator = omp_init_allocator(omp_default_mem_space, 2, traits);
    char *memory = (char *)omp_alloc((PAGES - 1) * PAGE, allocator); // and a header in front, on the first page
    char *first = (char *)((uintptr_t)memory & ~(uintptr_t)(PAGE - 1));
    memset(memory, 1, (PAGES - 1) * PAGE);
    const int start = index_of(node_of(first));
    long right = 0;
    for (long page = 0; page < PAGES; ++page)
        right += node_of(first + page * PAGE) == nodes[(start + page / PART) % count];
    say(start >= 0 && right == PAGES, "%s: %ld of %ld pages where they belong", "part_size", right, (long)PAGES);
    omp_free(memory, allocator);
    omp_destroy_allocator(allocator);
}

// More than a node has: it lies elsewhere, and nothing is killed.
static void check_full_node(void) {
    FILE *file = fopen("/sys/devices/system/node/node0/meminfo", "r");
    long total_kB = 0;
    if (file == NULL || fscanf(file, "Node 0 MemTotal: %ld kB", &total_kB) != 1) die("node0/meminfo");
    fclose(file);
    if (count < 2) return;
    const long pages = total_kB / 4 * 11 / 10;
    char *memory = NULL;
    for (int turn = 0; turn < count; ++turn) { // until it is the turn of node 0
        memory = (char *)omp_malloc_specific((size_t)pages * PAGE, OMP_MALLOC_COARSE);
        if (said_node(memory) == 0) break;
        omp_malloc_free(memory);
    }
    if (said_node(memory) != 0) return; // node 0 is not among ours
    long elsewhere = 0;
    for (long page = 0; page < pages; ++page) {
        memory[page * PAGE] = 1;
        elsewhere += node_of(memory + page * PAGE) != 0;
    }
    say(elsewhere > 0, "%s: of %ld pages, %ld had to go elsewhere", "a full node", pages, elsewhere);
    omp_malloc_free(memory);
}

int main(int argc, char **argv) {
    char *text = argc > 1 ? argv[1] : "";
    for (char *word = strtok(text, ","); word != NULL && count < MOST; word = strtok(NULL, ","))
        nodes[count++] = atoi(word);
    if (count == 0) die("usage: pages NODES [bind=NODE]");
    if (argc > 2) { // as numactl --membind does, before the runtime looks
        unsigned long mask = 1UL << atoi(argv[2] + strlen("bind="));
        if (syscall(SYS_set_mempolicy, 2, &mask, 64UL) != 0) die("set_mempolicy");
    }
    run_on(0);
    if (count == 1) { // nothing to spread over
        char *memory = (char *)omp_malloc_specific(64 * PAGE, OMP_MALLOC_FINE);
        memset(memory, 1, 64 * PAGE);
        say(said_node(memory) == -1, "%s: one node, nothing is distributed%.0ld%.0ld", "fine", 0L, 0L);
        say(node_of(memory + PAGE) == nodes[0], "%s: node %ld, as the process must%.0ld", "fine", nodes[0], 0);
        omp_malloc_free(memory);
        return failed;
    }
    for (long pages = 1; pages < 3000; pages = pages * 5 + 2) {
        check_fine(pages);
        check_blocked(pages);
    }
    for (long pages = 1; pages < 1200; pages = pages * 10 + 24)
        check_coarse(pages);
    check_nearest(37);
    check_standard(40);
    check_allocator();
    check_parts();
    check_full_node();
    return failed;
}
