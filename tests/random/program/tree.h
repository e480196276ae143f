// SPDX-License-Identifier: Apache-2.0
//
// A random program as a tree of constructs: reads the tree, and computes how often each node must
// run.
//
//     program { parallel threads=4 { single { task untied=1 { work n=10 } taskwait } } }
//
// A node has a kind, attributes (whole numbers; 0 if not given) and children. The README beside
// this folder explains each kind and attribute. generate.py respects OpenMP's rules about nesting;
// this file does not check them.
//
// All nodes are made before anything runs. After that only their counters change; any thread may
// add to a counter.
#ifndef RANDOM_TREE_H
#define RANDOM_TREE_H

#include <ctype.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KINDS(X)                                                                                                       \
    X(program)                                                                                                         \
    X(repeat) X(threads) X(fork) X(release) X(pause) X(work) X(parallel) X(parfor) X(task) X(tree) X(taskwait)         \
        X(taskgroup) X(taskyield) X(taskloop) X(critical) X(lock) X(atomic) X(loop) X(doacross) X(sections) X(section) \
            X(single) X(master) X(masked) X(barrier)

#define ATTRIBUTES(X)                                                                                                  \
    X(n)                                                                                                               \
    X(size) X(icv) X(serial) X(reduce) X(cancel) X(untied) X(final) X(undeferred) X(mergeable) X(priority) X(detach)   \
        X(bytes) X(in) X(out) X(inout) X(mutex) X(set) X(depobj) X(depth) X(fan) X(wait) X(yield) X(grain) X(tasks)    \
            X(nogroup) X(name) X(how) X(schedule) X(chunk) X(nowait) X(ordered) X(type) X(lean) X(us) X(use)

#define AS_KIND(word) KIND_##word,
#define AS_ATTRIBUTE(word) A_##word,
#define AS_TEXT(word) #word,
enum kind { KINDS(AS_KIND) KIND_COUNT };
enum attribute { ATTRIBUTES(AS_ATTRIBUTE) ATTRIBUTE_COUNT };
static const char* const kind_names[] = {KINDS(AS_TEXT)};
static const char* const attribute_names[] = {ATTRIBUTES(AS_TEXT)};

// Counters of threads lie apart, so that counting costs the same on every runtime.
enum { STRIPES = 16, LINE_BYTES = 64 };
struct stripe {
    _Alignas(LINE_BYTES) atomic_long count;
    atomic_ulong sum; // of the hashes of iterations
};

struct node {
    enum kind kind;
    int id; // in the order of the text
    long attribute[ATTRIBUTE_COUNT];
    int child_count;
    struct node** children;
    long times;   // how often its body must run,
    bool at_most; // or at most, below a construct that is cancelled
    struct stripe ran[STRIPES];
};

#define GET(node, word) ((node)->attribute[A_##word])

// The first thing that is wrong ends the process: what follows from it would only confuse.
#define FAIL(node, ...)                                                                                                \
    do {                                                                                                               \
        flockfile(stdout);                                                                                             \
        printf("WRONG: node %d (%s): ", (node)->id, kind_names[(node)->kind]);                                         \
        printf(__VA_ARGS__);                                                                                           \
        printf("\n");                                                                                                  \
        fflush(stdout);                                                                                                \
        _exit(1);                                                                                                      \
    } while (0)

enum { MOST_NODES = 4096, UNREADABLE = 3 };
static struct node* all_nodes[MOST_NODES];
static int node_count;

static int index_of(const char* word, size_t length, const char* const* names, int count) {
    for (int i = 0; i < count; i++) {
        if (strlen(names[i]) == length && memcmp(names[i], word, length) == 0) return i;
    }
    fprintf(stderr, "unknown word in the tree: %.*s\n", (int)length, word);
    exit(UNREADABLE);
}

static const char* after_space(const char* at) {
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

static size_t word_length(const char* at) {
    size_t length = 0;
    while (isalnum((unsigned char)at[length]))
        length++;
    return length;
}

static struct node* parse_children(const char** text, struct node* parent);

// Reads `kind name=value... [{ children }]` and moves `*text` behind it.
static struct node* parse_node(const char** text) {
    const char* at = after_space(*text);
    struct node* node = aligned_alloc(LINE_BYTES, sizeof *node);
    memset(node, 0, sizeof *node);
    size_t length = word_length(at);
    node->kind = (enum kind)index_of(at, length, kind_names, KIND_COUNT);
    node->id = node_count;
    if (node_count == MOST_NODES) exit(UNREADABLE);
    all_nodes[node_count++] = node;
    at = after_space(at + length);
    while (length = word_length(at), length != 0 && at[length] == '=') {
        char* end;
        int which = index_of(at, length, attribute_names, ATTRIBUTE_COUNT);
        node->attribute[which] = strtol(at + length + 1, &end, 10);
        at = after_space(end);
    }
    if (*at == '{') {
        at++;
        parse_children(&at, node);
    }
    *text = at;
    return node;
}

static struct node* parse_children(const char** text, struct node* parent) {
    const char* at = after_space(*text);
    while (*at != '}') {
        if (*at == '\0') exit(UNREADABLE);
        struct node* child = parse_node(&at);
        parent->children = realloc(parent->children, (size_t)(parent->child_count + 1) * sizeof *parent->children);
        parent->children[parent->child_count++] = child;
        at = after_space(at);
    }
    *text = at + 1;
    return parent;
}

// The surroundings of a node: the number of teams, the number of threads in each team, and the
// number of threads that the next region gets if it requests none.
struct surroundings {
    long teams, threads, icv;
    bool at_most;
};

static void expect_children(struct node* node, struct surroundings inside);

static long tree_size(const struct node* node) {
    long sum = 0, level = 1;
    for (long depth = GET(node, depth); depth >= 0; depth--) {
        sum += level;
        level *= GET(node, fan);
    }
    return sum;
}

// Where each execution of the node's body is by one thread, with no team around it that could share
// what stands within: `times` of them.
static void expect_each(struct node* node, struct surroundings around, long times) {
    node->times = times;
    around.teams = times;
    around.threads = 1;
    expect_children(node, around);
}

static void expect_team(struct node* node, struct surroundings around) {
    long encounters = around.teams * around.threads;
    long size = GET(node, size) == 0 ? around.icv : GET(node, size);
    if (GET(node, icv)) around.icv = size;
    if (GET(node, serial)) size = 1;
    around.teams = encounters;
    around.threads = size;
    if (node->kind == KIND_parfor) {
        expect_each(node, around, encounters * GET(node, n));
        return;
    }
    node->times = encounters * size;
    expect_children(node, around);
}

// Sets `times` of the node and of all below it.
static void expect(struct node* node, struct surroundings around) {
    long each = around.teams * around.threads;
    around.at_most |= GET(node, cancel) != 0;
    // What cancels is itself counted in whole, but for loops and regions, which lose iterations.
    node->at_most = around.at_most;
    switch (node->kind) {
    case KIND_parallel:
    case KIND_parfor:
        expect_team(node, around);
        break;
    case KIND_repeat:
        node->times = each * GET(node, n);
        around.teams *= GET(node, n);
        expect_children(node, around);
        break;
    case KIND_tree:
        expect_each(node, around, each * tree_size(node));
        break;
    case KIND_taskloop:
    case KIND_threads:
        expect_each(node, around, each * GET(node, n));
        break;
    case KIND_loop:
    case KIND_doacross:
        expect_each(node, around, around.teams * GET(node, n));
        break;
    case KIND_sections:
        expect_each(node, around, around.teams);
        node->times = around.teams * node->child_count;
        break;
    case KIND_single:
    case KIND_master:
        expect_each(node, around, around.teams);
        break;
    case KIND_masked:
        expect_each(node, around, GET(node, n) < around.threads ? around.teams : 0);
        break;
    default:
        expect_each(node, around, each);
    }
}

static void expect_children(struct node* node, struct surroundings inside) {
    for (int i = 0; i < node->child_count; i++)
        expect(node->children[i], inside);
}

static void count(struct node* node) {
    unsigned stripe = (unsigned)omp_get_thread_num() % STRIPES;
    atomic_fetch_add_explicit(&node->ran[stripe].count, 1, memory_order_relaxed);
}

static long counted(struct node* node) {
    long sum = 0;
    for (int i = 0; i < STRIPES; i++)
        sum += node->ran[i].count;
    return sum;
}

// Iterations are known by the sum of their hashes: one that ran twice in another's place is seen.
static unsigned long hash_of(long iteration) {
    unsigned long x = (unsigned long)iteration + 0x9e3779b97f4a7c15UL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9UL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebUL;
    return x ^ (x >> 31);
}

static void count_iteration(struct node* node, long iteration) {
    struct stripe* mine = &node->ran[(unsigned)omp_get_thread_num() % STRIPES];
    atomic_fetch_add_explicit(&mine->count, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&mine->sum, hash_of(iteration), memory_order_relaxed);
}

static bool has_iterations(const struct node* node) {
    return node->kind == KIND_loop || node->kind == KIND_doacross || node->kind == KIND_taskloop ||
           node->kind == KIND_parfor;
}

static void check_iterations(struct node* node, long ran) {
    unsigned long sum = 0, once = 0;
    for (int i = 0; i < STRIPES; i++)
        sum += node->ran[i].sum;
    for (long i = 0; i < GET(node, n); i++)
        once += hash_of(i);
    if (sum != once * (unsigned long)(ran / GET(node, n))) {
        FAIL(node, "some of its iterations ran twice, others not");
    }
}

// Whether the node and all below it ran as often as they must, `share` being how many executions of
// the whole tree are looked at: 1 but in the child of a fork.
static void check_counts(struct node* node, long share) {
    long ran = counted(node), times = node->times / share;
    if (node->at_most ? ran > times : ran != times) {
        FAIL(node, "ran %ld times, not %ld", ran, times);
    }
    if (!node->at_most && has_iterations(node) && times != 0) check_iterations(node, ran);
    for (int i = 0; i < node->child_count; i++) {
        if (node->kind != KIND_fork) check_counts(node->children[i], share);
    }
}

static void clear_counts(struct node* node) {
    for (int i = 0; i < STRIPES; i++) {
        node->ran[i].count = 0;
        node->ran[i].sum = 0;
    }
    for (int i = 0; i < node->child_count; i++)
        clear_counts(node->children[i]);
}

#endif
