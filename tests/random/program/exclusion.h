// SPDX-License-Identifier: Apache-2.0
//
// Critical regions, locks and atomic updates. The program marks each of these as held while a task
// holds it, so that two holders at the same time are noticed. generate.py nests them only in the
// order of their numbers, and a task that holds one of them reaches no task scheduling point.
#ifndef RANDOM_EXCLUSION_H
#define RANDOM_EXCLUSION_H

#include "tasks.h"

enum { NAMES = 4 };
static atomic_int held_criticals[NAMES], held_locks[NAMES], held_nests[NAMES];
static omp_lock_t locks[NAMES];
static omp_nest_lock_t nests[NAMES];
static long sums[MOST_NODES];
static long double wide_sums[MOST_NODES];

static void make_locks(void) {
    for (int i = 0; i < NAMES; i++) {
        omp_init_lock(&locks[i]);
        omp_init_nest_lock(&nests[i]);
    }
}

static void run_alone(struct frame* frame, struct node* node, atomic_int* held) {
    if (atomic_exchange(held, 1) != 0) FAIL(node, "two hold it at once");
    count(node);
    run_children(node, frame);
    atomic_store(held, 0);
}

static void run_critical(struct frame* frame, struct node* node) {
    long name = GET(node, name) % NAMES;
    atomic_int* held = &held_criticals[name];
    switch (name) {
    case 0: {
#pragma omp critical
        run_alone(frame, node, held);
        break;
    }
    case 1: {
#pragma omp critical(first)
        run_alone(frame, node, held);
        break;
    }
    case 2: {
#pragma omp critical(second)
        run_alone(frame, node, held);
        break;
    }
    default: {
#pragma omp critical(third)
        run_alone(frame, node, held);
    }
    }
}

enum lock_use { SET_LOCK, TEST_LOCK, NEST_LOCK };

static void run_lock(struct frame* frame, struct node* node) {
    long name = GET(node, name) % NAMES;
    if (GET(node, how) == NEST_LOCK) {
        omp_set_nest_lock(&nests[name]);
        omp_set_nest_lock(&nests[name]);
        run_alone(frame, node, &held_nests[name]);
        omp_unset_nest_lock(&nests[name]);
        omp_unset_nest_lock(&nests[name]);
        return;
    }
    bool got = GET(node, how) == TEST_LOCK && omp_test_lock(&locks[name]);
    if (!got) omp_set_lock(&locks[name]);
    run_alone(frame, node, &held_locks[name]);
    omp_unset_lock(&locks[name]);
}

enum atomic_use { UPDATE, CAPTURE, ORDERED_UPDATE, WIDE_UPDATE };

static void run_atomic(struct node* node) {
    long seen = 0;
    count(node);
    switch ((enum atomic_use)GET(node, how)) {
    case UPDATE: {
#pragma omp atomic
        sums[node->id]++;
        break;
    }
    case CAPTURE: {
#pragma omp atomic capture
        seen = ++sums[node->id];
        if (seen <= 0) FAIL(node, "captured %ld", seen);
        break;
    }
    case ORDERED_UPDATE: {
#pragma omp atomic seq_cst
        sums[node->id] += 1;
        break;
    }
    default: {
        // Wider than the processor's atomic operations: the runtime's own lock.
#pragma omp atomic
        wide_sums[node->id] += 1;
    }
    }
}

static void check_atomics(void) {
    for (int i = 0; i < node_count; i++) {
        struct node* node = all_nodes[i];
        long sum = sums[i] + (long)wide_sums[i];
        bool mine = node->kind == KIND_atomic && counted(node) != 0;
        if (mine && sum != counted(node)) FAIL(node, "came to %ld, not %ld", sum, counted(node));
    }
}

#endif
