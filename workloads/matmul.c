/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix multiplication in blocks: one task computes one block of the product from a row of blocks
 * and a column of blocks, by a BLAS. Each block is a separate allocation, which
 * OMP_DATA_DISTRIBUTION=coarse puts on one node.
 */
#include <cblas.h>

#include "common/distributed.h"
#include "common/freivalds.h"
#include "common/hash.h"
#include "common/workload.h"

/* OpenBLAS alone has threads of its own; the program's tasks are to be all there is. */
extern void openblas_set_num_threads(int threads) __attribute__((weak));

static long n, block, side; /* side: blocks per row and column */

static const workload_option options[] = {
    {"n", "rows and columns, a multiple of --block", &n, 1, 32768, {256, 1024, 4096}, NULL},
    {"block", "rows and columns of a block", &block, 1, 4096, {64, 128, 128}, NULL},
};
static const workload self = {"matmul",
                              "multiplies two square matrices by a BLAS, one task per block of the product "
                              "(Muddukrishna 2016, chapter 3: its input on the Opteron is large)",
                              options, WORKLOAD_OPTION_COUNT(options)};

static void multiply_block(double* const* a, double* const* b, double* c, long i, long j) {
    const int size = (int)block;
    for (long k = 0; k < side; ++k)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size, size, size, 1.0, a[i * side + k], size,
                    b[k * side + j], size, 1.0, c, size);
}

/* No task waits for another; the dependences say which data a task uses. */
static void spawn_block(double* const* a, double* const* b, double* c, long i, long j) {
    const long area = block * block;
#pragma omp task depend(iterator(long k = 0 : side), in : a[i * side + k][ : area], b[k * side + j][ : area])          \
    depend(inout : c[ : area])
    multiply_block(a, b, c, i, j);
}

static void multiply(double* const* a, double* const* b, double* const* c) {
#pragma omp parallel
#pragma omp single
    for (long i = 0; i < side; ++i)
        for (long j = 0; j < side; ++j)
            spawn_block(a, b, c[i * side + j], i, j);
}

static void apply(const void* matrix, const double* vector, double* result) {
    double* const* blocks = matrix;
    memset(result, 0, (size_t)n * sizeof *result);
    for (long i = 0; i < n; ++i)
        for (long j = 0; j < n; ++j)
            result[i] += blocks[i / block * side + j / block][i % block * block + j % block] * vector[j];
}

static void fill(double** matrix, uint64_t seed) {
    for (long e = 0; e < side * side; ++e)
        for (long i = 0; i < block * block; ++i)
            matrix[e][i] = hash_unit(seed << 60 | (uint64_t)e << 32 | (uint64_t)i) - 0.5;
}

int main(int argc, char** argv) {
    workload_init(&self, argc, argv);
    if (n % block) workload_usage_error("--n must be a multiple of --block, not %ld", n);
    if (openblas_set_num_threads) openblas_set_num_threads(1);
    side = n / block;
    const long count = side * side, area = block * block;
    double **a = distributed_vectors(count, area), **b = distributed_vectors(count, area);
    double** c = distributed_vectors(count, area);
    fill(a, 1);
    fill(b, 2);
    for (long e = 0; e < count; ++e)
        memset(c[e], 0, (size_t)area * sizeof **c);
    const double start = workload_seconds();
    multiply(a, b, c);
    const double time_s = workload_seconds() - start;
    if (workload_check_wanted()) freivalds_check(n, 1e-12, apply, a, b, c);
    const double corner = c[0][0];
    distributed_free_vectors(a, count);
    distributed_free_vectors(b, count);
    distributed_free_vectors(c, count);
    return workload_report(time_s, count, "c00:%.9f", corner);
}
