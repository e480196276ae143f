/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The graphs of the dependence benchmarks, and what their tasks compute: each task combines the
 * values of the tasks on which it depends, so a task that runs too early changes the result.
 */
#ifndef DEPEND_GRAPH_H
#define DEPEND_GRAPH_H

#include "common/hash.h"

enum { SHAPE_CHAIN, SHAPE_DIAMOND, SHAPE_WAVEFRONT };
static const char* const shape_names[] = {"chain", "diamond", "wavefront"};

/* A diamond is a top, MIDDLES tasks that depend on it, and a bottom, which is the top of the next diamond. */
enum { MIDDLES = 4 };

static inline uint64_t combine_values(uint64_t a, uint64_t b) { return hash_mix(a + 3 * b); }

/* The side of the largest square grid of at most `tasks` cells. */
static inline long grid_side(long tasks) {
    long side = 1;
    while ((side + 1) * (side + 1) <= tasks)
        ++side;
    return side;
}

/* Cell (row, column) from its upper and left neighbours; the grid has a border of zeros above and on the left. */
static inline void compute_cell(uint64_t* grid, long width, long row, long column) {
    grid[row * width + column] = combine_values(grid[(row - 1) * width + column], grid[row * width + column - 1]);
}

static inline uint64_t join_middles(const uint64_t* middle) {
    uint64_t value = 0;
    for (int i = 0; i < MIDDLES; ++i)
        value = combine_values(value, middle[i]);
    return value;
}

static inline uint64_t chain_serial(long tasks) {
    uint64_t value = 0;
    for (long i = 0; i < tasks; ++i)
        value = combine_values(value, (uint64_t)i);
    return value;
}

static inline uint64_t diamond_serial(long tasks) {
    uint64_t top = 0, middle[MIDDLES];
    for (long d = 0; d < tasks / (MIDDLES + 1); ++d) {
        for (int i = 0; i < MIDDLES; ++i)
            middle[i] = combine_values(top, (uint64_t)i);
        top = join_middles(middle);
    }
    return top;
}

/* `grid` holds (side + 1)^2 zeros. */
static inline uint64_t wavefront_serial(uint64_t* grid, long side) {
    for (long row = 1; row <= side; ++row)
        for (long column = 1; column <= side; ++column)
            compute_cell(grid, side + 1, row, column);
    return grid[side * (side + 1) + side];
}

/* How many tasks a graph of about `tasks` tasks really has. */
static inline long graph_tasks(long shape, long tasks) {
    if (shape == SHAPE_DIAMOND) return tasks / (MIDDLES + 1) * (MIDDLES + 1);
    if (shape == SHAPE_WAVEFRONT) return grid_side(tasks) * grid_side(tasks);
    return tasks;
}

#endif
