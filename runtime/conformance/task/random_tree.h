// SPDX-License-Identifier: Apache-2.0
//
// Runs random trees of tied tasks, untied tasks or both, with and without nested regions. Children
// are created in taskgroups, with dependences, or undeferred. Tasks call taskwait, with and without
// dependences, and taskyield. The program checks that the tree has the known number of tasks, and
// that each task has a stack of its own.
#include "check.h"

enum mode { TIED, UNTIED, MIXED, MODES };
enum { DEPTH = 6, TREES = 4, NESTED_ADDS = 8 };
enum kind { IN_TASKGROUP = 1, DEPENDENT = 2, YIELDS = 3, UNDEFERRED = 5, NESTED = 7, KINDS = 8 };

static long ended;
static enum mode mode;
static int nested;

static unsigned next(unsigned* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static unsigned children(unsigned* seed, int depth) { return depth > 0 ? next(seed) % 4 + (depth > 4) : 0; }

static void add_one(void) { __atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED); }

static void spin(unsigned rounds) {
    for (volatile unsigned i = 0; i < rounds; i++) {
    }
}

// What visit will count.
static long count(unsigned seed, int depth) {
    const unsigned many = children(&seed, depth);
    const enum kind kind = next(&seed) % KINDS;
    long tasks = 1;
    for (unsigned i = 0; i < many; i++) {
        tasks += count(next(&seed), depth - 1);
        next(&seed);
    }
    return tasks + (kind == NESTED && depth == 3 && nested ? NESTED_ADDS : 0);
}

static void visit(unsigned seed, int depth);

static void create(unsigned seed, int depth, char* depends) {
    const int untied = mode == UNTIED || (mode == MIXED && (seed >> 5) % 2);
    const int priority = (int)(seed % 4);
    if (untied && depends != NULL) {
#pragma omp task untied depend(inout : *depends) firstprivate(seed, depth) priority(priority)
        visit(seed, depth);
    } else if (untied) {
#pragma omp task untied firstprivate(seed, depth) priority(priority)
        visit(seed, depth);
    } else if (depends != NULL) {
#pragma omp task depend(inout : *depends) firstprivate(seed, depth) priority(priority)
        visit(seed, depth);
    } else {
#pragma omp task firstprivate(seed, depth)
        visit(seed, depth);
    }
}

static void nested_region(void) {
#pragma omp parallel num_threads(2)
    {
#pragma omp for
        for (int i = 0; i < NESTED_ADDS / 2; i++)
            add_one();
#pragma omp single
        for (int i = 0; i < NESTED_ADDS / 2; i++) {
#pragma omp task untied
            {
#pragma omp task
                spin(100);
#pragma omp taskwait
                add_one();
            }
        }
    }
}

static void visit(unsigned seed, int depth) {
    volatile unsigned char own[256];
    const volatile unsigned char* const here = own;
    const unsigned char pattern = (unsigned char)seed;
    char address;
    const unsigned many = children(&seed, depth);
    const enum kind kind = next(&seed) % KINDS;
    for (int i = 0; i < 256; i++)
        own[i] = pattern;
    for (unsigned i = 0; i < many; i++) {
        const unsigned child = next(&seed);
        if (kind == IN_TASKGROUP) {
#pragma omp taskgroup
            create(child, depth - 1, NULL);
        } else if (kind == UNDEFERRED) {
#pragma omp task if (0) firstprivate(child, depth)
            visit(child, depth - 1);
        } else {
            create(child, depth - 1, kind == DEPENDENT ? &address : NULL);
        }
        spin(next(&seed) % 300);
    }
    if (kind == DEPENDENT) {
#pragma omp taskwait depend(in : address)
    } else if (kind == YIELDS) {
#pragma omp taskyield
    } else if (kind == NESTED && depth == 3 && nested) {
        nested_region();
    }
    spin(next(&seed) % 500);
#pragma omp taskwait
    CHECK(here == own);
    for (int i = 0; i < 256; i++)
        CHECK_EQ(own[i], pattern);
    add_one();
}

// arguments: first seed, rounds
int main(int argc, char** argv) {
    const unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    const unsigned rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 4;
    omp_set_max_active_levels(2);
    for (unsigned round = 0; round < rounds * MODES * 2; round++) {
        mode = round % MODES;
        nested = round / MODES % 2;
        unsigned roots[TREES], random = seed + round * 7919;
        long expected = 0;
        for (int i = 0; i < TREES; i++) {
            roots[i] = next(&random);
            expected += count(roots[i], DEPTH);
        }
        ended = 0;
#pragma omp parallel
#pragma omp single
        for (int i = 0; i < TREES; i++)
            create(roots[i], DEPTH, NULL);
        CHECK_EQ(ended, expected);
    }
}
