/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jacobi's method for heat on a plate whose edge stays cold: in each iteration, each point becomes
 * the mean of its four neighbours. There is one task for each block and iteration; only its
 * dependences on the blocks around it order the tasks. Each of the two plates is one allocation,
 * which OMP_DATA_DISTRIBUTION=fine spreads.
 */
#include <math.h>

#include "common/distributed.h"
#include "common/workload.h"

static long n, block, iterations;

static const workload_option options[] = {
    {"n", "rows and columns of the plate", &n, 4, 65536, {256, 2048, 16384}, NULL},
    {"block", "rows and columns of a block", &block, 1, 65536, {64, 128, 512}, NULL},
    {"iterations", "how often each point is computed", &iterations, 1, 100, {8, 10, 10}, NULL},
};
static const workload self = {"jacobi",
                              "solves the heat equation on a plate by Jacobi's method, one task per block and "
                              "iteration (Muddukrishna 2016, chapter 3: its input on the Opteron is large)",
                              options, WORKLOAD_OPTION_COUNT(options)};

static long smaller(long a, long b) { return a < b ? a : b; }
static long larger(long a, long b) { return a > b ? a : b; }
static long blocks(void) { return (n + block - 1) / block; }

static void relax(const double* from, double* to, long row, long column) {
    const long row_end = smaller(row + block, n - 1), column_end = smaller(column + block, n - 1);
    for (long i = larger(row, 1); i < row_end; ++i)
        for (long j = larger(column, 1); j < column_end; ++j)
            to[i * n + j] =
                0.25 * (from[(i - 1) * n + j] + from[(i + 1) * n + j] + from[i * n + j - 1] + from[i * n + j + 1]);
}

static long corner_of(long i, long j) { return i * block * n + j * block; }

/* At the edge, a block stands in for the neighbour that it has not. */
static void spawn_relax(const double* from, double* to, long i, long j) {
    const long last = blocks() - 1, here = corner_of(i, j);
    const long above = corner_of(larger(i - 1, 0), j), below = corner_of(smaller(i + 1, last), j);
    const long left = corner_of(i, larger(j - 1, 0)), right = corner_of(i, smaller(j + 1, last));
#pragma omp task depend(in : from[here], from[above], from[below], from[left], from[right]) depend(out : to[here])
    relax(from, to, i * block, j * block);
}

/* Returns the plate with the result. */
static double* iterate(double* from, double* to) {
#pragma omp parallel
#pragma omp single
    for (long iteration = 0; iteration < iterations; ++iteration) {
        for (long i = 0; i < blocks(); ++i)
            for (long j = 0; j < blocks(); ++j)
                spawn_relax(from, to, i, j);
        double* const written = to;
        to = from;
        from = written;
    }
    return from;
}

/* How often the sine of the initial state goes up and down along a row, and along a column. */
static long row_waves(void) { return larger(n / 8, 1); }
static long column_waves(void) { return larger(n / 6, 1); }

/* sin(pi waves i / (n - 1)), and 0 at both ends. */
static double* sine(long waves) {
    double* values = workload_allocate((size_t)n * sizeof *values);
    for (long i = 0; i < n; ++i)
        values[i] = sin(M_PI * (double)(waves * i % (2 * (n - 1))) / (double)(n - 1));
    values[n - 1] = 0;
    return values;
}

static void fill(double* plate, const double* along_column, const double* along_row) {
    for (long i = 0; i < n; ++i)
        for (long j = 0; j < n; ++j)
            plate[i * n + j] = along_column[i] * along_row[j];
}

/* A product of two sines keeps its shape: each iteration multiplies it by the mean of two cosines. */
static void check(const double* plate, const double* along_column, const double* along_row) {
    const double step = M_PI / (double)(n - 1);
    const double factor =
        pow((cos((double)column_waves() * step) + cos((double)row_waves() * step)) / 2, (double)iterations);
    for (long i = 0; i < n; ++i)
        for (long j = 0; j < n; ++j)
            workload_expect(fabs(plate[i * n + j] - factor * along_column[i] * along_row[j]) < 1e-12,
                            "point (%ld, %ld) is %g, expected %g", i, j, plate[i * n + j],
                            factor * along_column[i] * along_row[j]);
}

int main(int argc, char** argv) {
    workload_init(&self, argc, argv);
    const size_t bytes = (size_t)(n * n) * sizeof(double);
    double *first = distributed_allocate(bytes), *second = distributed_allocate(bytes);
    double *along_column = sine(column_waves()), *along_row = sine(row_waves());
    fill(first, along_column, along_row);
    memset(second, 0, bytes);
    const double start = workload_seconds();
    const double* plate = iterate(first, second);
    const double time_s = workload_seconds() - start;
    if (workload_check_wanted()) check(plate, along_column, along_row);
    const double near_corner = plate[n + 1];
    omp_malloc_free(first);
    omp_malloc_free(second);
    free(along_column);
    free(along_row);
    return workload_report(time_s, blocks() * blocks() * iterations, "near_corner:%.9f", near_corner);
}
