/* SPDX-License-Identifier: Apache-2.0 */
/* Unbalanced tree search: counts a tree whose shape is known only by searching; a task per node. */
#include <math.h>

#include "common/hash.h"
#include "common/workload.h"

enum tree { TREE_BINOMIAL, TREE_GEOMETRIC };
static const char* const tree_names[] = {"binomial", "geometric"};
enum { MAX_CHILDREN = 64 };

static long tree, root_children, children, probability_ppm, mean_children_ppm, max_depth, rounds, seed;

static const workload_option options[] = {
    {"tree",
     "binomial: all or no children, of any depth; geometric: fewer children further down",
     &tree,
     0,
     1,
     {TREE_BINOMIAL, TREE_BINOMIAL, TREE_BINOMIAL},
     tree_names},
    {"root", "children of the root of a binomial tree", &root_children, 0, 10000000, {200, 100000, 500000}, NULL},
    {"children", "children of an inner node of a binomial tree", &children, 1, 1000, {2, 2, 2}, NULL},
    {"inner",
     "chance (parts per million) that a node of a binomial tree is an inner node",
     &probability_ppm,
     0,
     1000000,
     {450000, 475000, 475000},
     NULL},
    {"mean",
     "mean children (millionths) of a geometric tree's root, falling linearly to none at the depth",
     &mean_children_ppm,
     0,
     16000000,
     {4000000, 4000000, 4000000},
     NULL},
    {"depth", "depth of a geometric tree", &max_depth, 1, 200, {8, 14, 16}, NULL},
    {"rounds", "work per node, in hash rounds (about 2 ns each)", &rounds, 0, 1000000, {50, 50, 50}, NULL},
    {"seed", "seed of the tree", &seed, 0, 1000000000, {42, 42, 42}, NULL},
};
static const workload self = {
    "uts",
    "counts the nodes of an unbalanced tree, one task per node (the Unbalanced Tree Search benchmark, also in BOTS): "
    "the size of a subtree is unknown until it is walked, so load must be balanced all the time",
    options, WORKLOAD_OPTION_COUNT(options)};

/* A node is its random state; that of child i is a hash of the parent's and of i. */
static uint64_t child_state(uint64_t state, long i) { return hash_mix(state ^ hash_mix((uint64_t)i + 1)); }

static long binomial_children(uint64_t state, long depth) {
    if (depth == 0) return root_children;
    return hash_unit(state) * 1e6 < (double)probability_ppm ? children : 0;
}

static long geometric_children(uint64_t state, long depth) {
    if (depth == 0) return mean_children_ppm / 1000000; /* a root without children would be no test */
    const double mean = (double)mean_children_ppm * 1e-6 * (1 - (double)depth / (double)max_depth);
    if (mean <= 0) return 0;
    const double drawn = floor(log(1 - hash_unit(state)) / log(mean / (1 + mean)));
    return drawn < MAX_CHILDREN ? (long)drawn : MAX_CHILDREN;
}

static long count_children(uint64_t state, long depth) {
    return tree == TREE_BINOMIAL ? binomial_children(state, depth) : geometric_children(state, depth);
}

/* Never true, but neither the compiler nor the reader of a profile may take the work away. */
static int visit(uint64_t state) { return hash_chain(state, rounds) == 0; }

static long walk(uint64_t state, long depth) {
    long nodes = 1 + visit(state);
    const long count = count_children(state, depth);
    for (long i = 0; i < count; ++i) {
#pragma omp task shared(nodes) firstprivate(i)
        {
            const long below = walk(child_state(state, i), depth + 1);
#pragma omp atomic
            nodes += below;
        }
    }
#pragma omp taskwait
    return nodes;
}

static long walk_serial(uint64_t state, long depth) {
    long nodes = 1 + visit(state);
    const long count = count_children(state, depth);
    for (long i = 0; i < count; ++i)
        nodes += walk_serial(child_state(state, i), depth + 1);
    return nodes;
}

int main(int argc, char** argv) {
    long nodes = 0;
    workload_init(&self, argc, argv);
    if (tree == TREE_BINOMIAL && children * probability_ppm >= 1000000)
        workload_usage_error("--children times --inner must stay below 1000000, or the tree is endless");
    const uint64_t root = hash_mix((uint64_t)seed);
    const double start = workload_seconds();
#pragma omp parallel
#pragma omp single
    nodes = walk(root, 0);
    const double time_s = workload_seconds() - start;
    if (workload_check_wanted()) {
        const long expected = walk_serial(root, 0);
        workload_expect(nodes == expected, "%ld nodes, expected %ld", nodes, expected);
    }
    return workload_report(time_s, nodes - 1, "%ld", nodes);
}
