/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks ordered by `depend` clauses alone: a chain, a row of diamonds, a wavefront. */
#include "common/workload.h"
#include "depend_graph.h"

static long shape, tasks;

static const workload_option options[] = {
    {"shape",
     "chain: each task after the one before; diamond: four tasks between two; wavefront: a grid, each cell after its "
     "upper and left neighbours",
     &shape,
     0,
     2,
     {SHAPE_CHAIN, SHAPE_CHAIN, SHAPE_CHAIN},
     shape_names},
    {"tasks", "tasks to create, about", &tasks, 5, 10000000, {10000, 200000, 1000000}, NULL},
};
static const workload self = {"depend", "tiny tasks ordered by depend clauses: measures the cost of a dependence",
                              options, WORKLOAD_OPTION_COUNT(options)};

static uint64_t run_chain(void) {
    uint64_t value = 0;
#pragma omp parallel
#pragma omp single
    for (long i = 0; i < tasks; ++i) {
#pragma omp task depend(inout : value) shared(value)
        value = combine_values(value, (uint64_t)i);
    }
    return value;
}

static uint64_t run_diamonds(void) {
    uint64_t top = 0, middle[MIDDLES];
#pragma omp parallel
#pragma omp single
    for (long d = 0; d < tasks / (MIDDLES + 1); ++d) {
        for (int i = 0; i < MIDDLES; ++i) {
#pragma omp task depend(in : top) depend(out : middle[i]) shared(top, middle)
            middle[i] = combine_values(top, (uint64_t)i);
        }
#pragma omp task depend(in : middle[0], middle[1], middle[2], middle[3]) depend(out : top) shared(top, middle)
        top = join_middles(middle);
    }
    return top;
}

static uint64_t run_wavefront(uint64_t* grid, long side) {
    const long width = side + 1;
#pragma omp parallel
#pragma omp single
    for (long row = 1; row <= side; ++row)
        for (long column = 1; column <= side; ++column) {
#pragma omp task depend(in : grid[(row - 1) * width + column], grid[row * width + column - 1])                         \
    depend(out : grid[row * width + column])
            compute_cell(grid, width, row, column);
        }
    return grid[side * width + side];
}

static uint64_t* zero_grid(long side) {
    const size_t bytes = (size_t)((side + 1) * (side + 1)) * sizeof(uint64_t);
    return memset(workload_allocate(bytes), 0, bytes);
}

static uint64_t run(uint64_t* grid) {
    if (shape == SHAPE_DIAMOND) return run_diamonds();
    return shape == SHAPE_WAVEFRONT ? run_wavefront(grid, grid_side(tasks)) : run_chain();
}

static uint64_t run_serially(void) {
    if (shape == SHAPE_CHAIN) return chain_serial(tasks);
    if (shape == SHAPE_DIAMOND) return diamond_serial(tasks);
    uint64_t* grid = zero_grid(grid_side(tasks));
    const uint64_t value = wavefront_serial(grid, grid_side(tasks));
    free(grid);
    return value;
}

int main(int argc, char** argv) {
    workload_init(&self, argc, argv);
    uint64_t* grid = zero_grid(grid_side(tasks));
    const double start = workload_seconds();
    const uint64_t value = run(grid);
    const double time_s = workload_seconds() - start;
    free(grid);
    if (workload_check_wanted())
        workload_expect(value == run_serially(), "a %s ran out of order: %#lx, expected %#lx", shape_names[shape],
                        (unsigned long)value, (unsigned long)run_serially());
    return workload_report(time_s, graph_tasks(shape, tasks), "%#lx", (unsigned long)value);
}
