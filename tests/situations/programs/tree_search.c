// SPDX-License-Identifier: Apache-2.0
//
// Situation: the nodes of an unbalanced tree are counted (400,000 nodes, one task per node), on 1 and on 2 threads
// Catches: a runtime whose tasks go through one lock: two threads need twice the processor time of one and are no faster
// limit: 60
#include "programs/speedup.h"

#include <stdint.h>

enum { kChildren = 5, kRoots = 2000 };

static uint64_t mix(uint64_t word) {
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    return word ^ (word >> 31);
}

static long walk(uint64_t state, int is_root) {
    const long count = is_root ? kRoots : mix(state) % 1000 < 199 ? kChildren : 0;
    long nodes = 1;
    for (long i = 0; i < count; ++i) {
#pragma omp task shared(nodes) firstprivate(i)
        {
            const long below = walk(mix(state + (uint64_t)i + 1), 0);
#pragma omp atomic
            nodes += below;
        }
    }
#pragma omp taskwait
    return nodes;
}

static void search(void) {
    static long expected;
    long nodes = 0;
#pragma omp parallel
#pragma omp single
    nodes = walk(42, 1);
    if (expected == 0) expected = nodes;
    CHECK_EQ(nodes, expected);
}

int main(void) {
    speedup_judge(search, 2.0);
    return 0;
}
