/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Floorplan: places cells, each of which has several possible shapes, one after the other on a
 * board, so that the used part of the board is small.
 *
 * Every cell but the first must touch the right or the lower side of one earlier cell, its
 * neighbour. A node of the search is a plan with the first cells placed; its children place the
 * next cell in every shape at every such position. If the bounding box of a plan is as large as the
 * best complete plan, the search does not continue with this plan (branch and bound). A child
 * copies its parent's plan, which stays on the stack of the task that waits for it. The best area
 * is shared: it is read atomically and lowered in a critical section. So the number of nodes that a
 * run visits depends on its timing, but the least area does not. With --prune known the least area
 * is found beforehand, and the search prunes with it from the start. In this case all runs visit
 * the same nodes, in any order.
 */
#include <omp.h>

#include "common/hash.h"
#include "common/workload.h"

enum {
    SIDE = 64,
    MAX_CELLS = 20,
    MAX_SHAPES = 6,
    LONGEST = 8,
    MAX_CHOICES = MAX_SHAPES * 4 * LONGEST,
    CACHE_LINE = 64
};
enum variant { VARIANT_MANUAL, VARIANT_IF, VARIANT_FINAL, VARIANT_ALL };
static const char* const variant_names[] = {"manual", "if", "final", "all"};

enum prune { PRUNE_FOUND, PRUNE_KNOWN };
static const char* const prune_names[] = {"found", "known"};

static long cell_count, cutoff, variant, untied, seed, prune;

static const workload_option options[] = {
    {"cells", "cells to place", &cell_count, 1, MAX_CELLS, {5, 9, 11}, NULL},
    {"variant",
     "how task creation is limited beyond --cutoff: by a test in the program, by a clause, or not at all",
     &variant,
     0,
     3,
     {VARIANT_MANUAL, VARIANT_MANUAL, VARIANT_MANUAL},
     variant_names},
    {"cutoff", "cells that are placed by tasks of their own", &cutoff, 0, MAX_CELLS, {3, 3, 4}, NULL},
    {"tasks", "whether a task stays with its thread", &untied, 0, 1, {0, 0, 0}, workload_tie_names},
    {"prune",
     "by the best plan found so far, or by the least area, found before the time is taken",
     &prune,
     0,
     1,
     {PRUNE_FOUND, PRUNE_FOUND, PRUNE_FOUND},
     prune_names},
    {"seed", "of the cells", &seed, 0, 1000000000, {1, 1, 1}, NULL},
};
static const workload self = {
    "floorplan",
    "places cells of alternative shapes side by side in the least area, by branch and bound, one task per position (as "
    "in BOTS); its tasks are tiny where nothing limits them, and each works on a copy of a plan",
    options, WORKLOAD_OPTION_COUNT(options)};

typedef struct place {
    unsigned char x, y, width, height;
} place;

/* x and y of its shapes are not used. */
typedef struct cell {
    place shapes[MAX_SHAPES];
    int shape_count, neighbour;
} cell;

typedef struct plan {
    uint64_t rows[SIDE]; /* a bit per square of the board: whether it is taken */
    place at[MAX_CELLS];
    int width, height;
} plan;

/*
 * Tasks that a thread has created, in a line of its own: threads that share a line would slow each
 * other down.
 */
typedef struct counter {
    _Alignas(CACHE_LINE) long tasks;
} counter;

static cell cells[MAX_CELLS];
static plan best;
static long best_area;
static long least_area; /* once it is known; else 0 */
static counter* created;

static uint64_t draw(long position) { return hash_mix(hash_mix((uint64_t)seed) + (uint64_t)position); }

/* All shapes that hold the squares of the cell and waste less than a row. */
static void create_cell(long index) {
    cell* c = &cells[index];
    const int squares = 4 + (int)(draw(2 * index) % 13);
    c->neighbour = index ? (int)(draw(2 * index + 1) % (uint64_t)index) : 0;
    for (int width = 1; width <= LONGEST && c->shape_count < MAX_SHAPES; ++width) {
        const int height = (squares + width - 1) / width;
        if (height > LONGEST || width * height - squares > 1) continue;
        c->shapes[c->shape_count++] = (place){0, 0, (unsigned char)width, (unsigned char)height};
    }
}

static long area_of(const plan* p) { return (long)p->width * p->height; }

static void create_input(void) {
    for (long i = 0; i < cell_count; ++i)
        create_cell(i);
    created = aligned_alloc(CACHE_LINE, (size_t)omp_get_max_threads() * sizeof *created);
    if (!created) workload_expect(0, "cannot allocate the counters of %d threads", omp_get_max_threads());
    memset(created, 0, (size_t)omp_get_max_threads() * sizeof *created);
}

/* Adds every place of a shape along one side of the neighbour: below it, or to its right. */
static int list_side(place shape, place neighbour, int below, place* list) {
    const int along = below ? shape.width : shape.height;
    const int start = below ? neighbour.x : neighbour.y, length = below ? neighbour.width : neighbour.height;
    int count = 0;
    for (int at = start - along + 1; at < start + length; ++at) {
        if (at < 0) continue;
        shape.x = (unsigned char)(below ? at : neighbour.x + neighbour.width);
        shape.y = (unsigned char)(below ? neighbour.y + neighbour.height : at);
        list[count++] = shape;
    }
    return count;
}

static int list_choices(const plan* p, int index, place* list) {
    const cell* c = &cells[index];
    int count = 0;
    for (int s = 0; s < c->shape_count; ++s) {
        if (!index) {
            list[count++] = c->shapes[s];
            continue;
        }
        count += list_side(c->shapes[s], p->at[c->neighbour], 0, list + count);
        count += list_side(c->shapes[s], p->at[c->neighbour], 1, list + count);
    }
    return count;
}

/* Returns 0 where the cell does not fit. */
static int lay_down(plan* p, int index, place at) {
    const int right = at.x + at.width, below = at.y + at.height;
    if (right > SIDE || below > SIDE) return 0;
    const uint64_t squares = ((UINT64_C(1) << at.width) - 1) << at.x;
    for (int y = at.y; y < below; ++y) {
        if (p->rows[y] & squares) return 0;
        p->rows[y] |= squares;
    }
    p->at[index] = at;
    if (right > p->width) p->width = right;
    if (below > p->height) p->height = below;
    return 1;
}

static long read_best_area(void) {
    long area;
#pragma omp atomic read
    area = best_area;
    return area;
}

/* A plan that has come to it is given up. */
static long bound(void) { return least_area ? least_area + 1 : read_best_area(); }

static void keep_if_best(const plan* p) {
#pragma omp critical(best_plan)
    if (area_of(p) < best_area) {
        best = *p;
#pragma omp atomic write
        best_area = area_of(p);
    }
}

/*
 * Places one more cell. Returns whether the plan is worth going on with: it may still become the
 * best one.
 */
static int advance(plan* next, const plan* from, int index, place at) {
    *next = *from;
    if (!lay_down(next, index, at) || area_of(next) >= bound()) return 0;
    if (index + 1 < cell_count) return 1;
    keep_if_best(next);
    return 0;
}

static void expand_serially(const plan* p, int index) {
    place choices[MAX_CHOICES];
    plan next;
    const int count = list_choices(p, index, choices);
    for (int i = 0; i < count; ++i)
        if (advance(&next, p, index, choices[i])) expand_serially(&next, index + 1);
}

static void expand(const plan* p, int index);

static void visit(const plan* from, int index, const place* at) {
    plan next;
    if (advance(&next, from, index, *at)) expand(&next, index + 1);
}

/*
 * A task gets pointers and numbers alone: for a small structure GCC makes a copy function, which
 * libomp 19 does not call for tasks that are not deferred.
 */
static void spawn_visit(const plan* from, int index, const place* at) {
    const int beyond = index >= cutoff;
    const int deferred = variant != VARIANT_IF || !beyond, last = variant == VARIANT_FINAL && beyond;
    ++created[omp_get_thread_num()].tasks;
    if (untied) {
#pragma omp task untied if (deferred) final(last) mergeable
        visit(from, index, at);
    } else {
#pragma omp task if (deferred) final(last) mergeable
        visit(from, index, at);
    }
}

static void expand(const plan* p, int index) {
    place choices[MAX_CHOICES];
    if (variant == VARIANT_MANUAL && index >= cutoff) {
        expand_serially(p, index);
        return;
    }
    const int count = list_choices(p, index, choices);
    for (int i = 0; i < count; ++i)
        spawn_visit(p, index, &choices[i]);
#pragma omp taskwait
}

static void forget_best(void) { best_area = SIDE * SIDE + 1; }

static void find_least_area(const plan* empty) {
    expand_serially(empty, 0);
    least_area = best_area;
    forget_best();
}

static int touches(place at, place neighbour) {
    const int beside = at.x == neighbour.x + neighbour.width && at.y < neighbour.y + neighbour.height &&
                       neighbour.y < at.y + at.height;
    const int under =
        at.y == neighbour.y + neighbour.height && at.x < neighbour.x + neighbour.width && neighbour.x < at.x + at.width;
    return beside || under;
}

static int overlap(place a, place b) {
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

static int has_shape(const cell* c, place at) {
    for (int s = 0; s < c->shape_count; ++s)
        if (c->shapes[s].width == at.width && c->shapes[s].height == at.height) return 1;
    return 0;
}

/* That the plan keeps the rules, from its places alone: its rows of bits have no part in this. */
static void check_plan(const plan* p) {
    int width = 0, height = 0;
    for (int i = 0; i < cell_count; ++i) {
        const place at = p->at[i];
        workload_expect(has_shape(&cells[i], at), "cell %d has a shape of %d x %d, which is not its own", i, at.width,
                        at.height);
        workload_expect(!i || touches(at, p->at[cells[i].neighbour]), "cell %d does not touch cell %d", i,
                        cells[i].neighbour);
        for (int j = 0; j < i; ++j)
            workload_expect(!overlap(at, p->at[j]), "cells %d and %d overlap", i, j);
        if (at.x + at.width > width) width = at.x + at.width;
        if (at.y + at.height > height) height = at.y + at.height;
    }
    workload_expect(width == p->width && height == p->height, "the plan takes %d x %d, not %d x %d", width, height,
                    p->width, p->height);
}

static void check(const plan* empty, long area) {
    workload_expect(area <= SIDE * SIDE, "no plan was found");
    check_plan(&best);
    workload_expect(area == area_of(&best), "the area is %ld, that of the plan %ld", area, area_of(&best));
    forget_best();
    least_area = 0;
    expand_serially(empty, 0);
    workload_expect(area == best_area, "area %ld, expected %ld", area, best_area);
}

int main(int argc, char** argv) {
    static const plan empty;
    long tasks = 0;
    workload_init(&self, argc, argv);
    create_input();
    forget_best();
    if (prune == PRUNE_KNOWN) find_least_area(&empty);
    const double start = workload_seconds();
#pragma omp parallel
#pragma omp single
    expand(&empty, 0);
    const double time_s = workload_seconds() - start;
    const long area = best_area;
    if (workload_check_wanted()) check(&empty, area);
    for (int thread = 0; thread < omp_get_max_threads(); ++thread)
        tasks += created[thread].tasks;
    free(created);
    return workload_report(time_s, tasks, "area:%ld", area);
}
