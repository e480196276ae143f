/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cholesky's factorisation in blocks, on devices. A block of the lower triangle stays on the device
 * that computes it, until it is final and goes to the host. Regions on other devices that read it
 * then take it from the host. Each kernel is one target region with nowait; depend clauses on the
 * blocks order the regions.
 */
#include <math.h>

#include "common/devices.h"
#include "common/hash.h"
#include "common/workload.h"

static long n, block, side, pause_us; /* side: blocks per row and column */
static double** lower;                /* the blocks; NULL above the diagonal */

static const workload_option options[] = {
    {"n", "rows and columns, a multiple of --block", &n, 1, 32768, {128, 512, 2048}, NULL},
    {"block", "rows and columns of a block", &block, 1, 4096, {32, 64, 128}, NULL},
    {"sleep", "microseconds that each region also sleeps, in place of work", &pause_us, 0, 1000000, {0, 0, 0}, NULL},
};
static const workload self = {"cholesky",
                              "factorises a symmetric matrix on devices, one target region per block and step", options,
                              WORKLOAD_OPTION_COUNT(options)};

static double* block_at(long i, long j) { return lower[i * side + j]; }
/* Blocks of one row have the same owner, so a row's inputs are where its blocks are. */
static int owner(long i) { return device_of_part(i); }

#pragma omp declare target
/* The factor of a block on the diagonal. */
static void factorise(double* a, long size) {
    for (long j = 0; j < size; ++j) {
        for (long k = 0; k < j; ++k)
            for (long i = j; i < size; ++i)
                a[i * size + j] -= a[i * size + k] * a[j * size + k];
        const double pivot = sqrt(a[j * size + j]);
        for (long i = j; i < size; ++i)
            a[i * size + j] /= pivot;
    }
}

/* b := b / transposed(l), where l is the factor of a block on the diagonal. */
static void solve(const double* l, double* b, long size) {
#pragma omp parallel for
    for (long i = 0; i < size; ++i)
        for (long j = 0; j < size; ++j) {
            double sum = b[i * size + j];
            for (long k = 0; k < j; ++k)
                sum -= b[i * size + k] * l[j * size + k];
            b[i * size + j] = sum / l[j * size + j];
        }
}

/* c := c - a transposed(b) */
static void subtract_product(const double* a, const double* b, double* c, long size) {
#pragma omp parallel for
    for (long i = 0; i < size; ++i)
        for (long j = 0; j < size; ++j) {
            double sum = c[i * size + j];
            for (long k = 0; k < size; ++k)
                sum -= a[i * size + k] * b[j * size + k];
            c[i * size + j] = sum;
        }
}
#pragma omp end declare target

static void enter(double* a, int device) {
    const long area = block * block;
#pragma omp target enter data device(device) nowait map(to : a[ : area]) depend(out : a[ : area])
}
static void leave(double* a, int device) {
    const long area = block * block;
#pragma omp target exit data device(device) nowait map(release : a[ : area]) depend(inout : a[ : area])
}

static void spawn_factorise(double* a, int device) {
    const long size = block, area = block * block, pause = pause_us;
#pragma omp target device(device) nowait map(always, from : a[ : area]) depend(inout : a[ : area])
    {
        device_sleep(pause);
        factorise(a, size);
    }
}
static void spawn_solve(const double* l, double* b, int device) {
    const long size = block, area = block * block, pause = pause_us;
#pragma omp target device(device) nowait map(to : l[ : area]) map(always, from : b[ : area]) depend(in : l[ : area])   \
    depend(inout : b[ : area])
    {
        device_sleep(pause);
        solve(l, b, size);
    }
}
static void spawn_square(const double* a, double* c, int device) {
    const long size = block, area = block * block, pause = pause_us;
#pragma omp target device(device) nowait map(to : a[ : area]) map(tofrom : c[ : area]) depend(in : a[ : area])         \
    depend(inout : c[ : area])
    {
        device_sleep(pause);
        subtract_product(a, a, c, size);
    }
}
static void spawn_product(const double* a, const double* b, double* c, int device) {
    const long size = block, area = block * block, pause = pause_us;
#pragma omp target device(device) nowait map(to : a[ : area], b[ : area]) map(tofrom : c[ : area])                     \
    depend(in : a[ : area], b[ : area]) depend(inout : c[ : area])
    {
        device_sleep(pause);
        subtract_product(a, b, c, size);
    }
}

/* Returns the number of regions. */
static long factorise_matrix(void) {
    long regions = 0;
    for (long i = 0; i < side; ++i)
        for (long j = 0; j <= i; ++j)
            enter(block_at(i, j), owner(i));
    for (long k = 0; k < side; ++k) {
        spawn_factorise(block_at(k, k), owner(k));
        for (long i = k + 1; i < side; ++i)
            spawn_solve(block_at(k, k), block_at(i, k), owner(i));
        for (long i = k + 1; i < side; ++i) {
            for (long j = k + 1; j < i; ++j)
                spawn_product(block_at(i, k), block_at(j, k), block_at(i, j), owner(i));
            spawn_square(block_at(i, k), block_at(i, i), owner(i));
        }
        regions += 1 + (side - k - 1) + (side - k - 1) * (side - k) / 2;
    }
    for (long i = 0; i < side; ++i)
        for (long j = 0; j <= i; ++j)
            leave(block_at(i, j), owner(i));
#pragma omp taskwait
    return regions;
}

/* Symmetric, and positive definite because its diagonal dominates. */
static double element(long i, long j) {
    const long low = i < j ? i : j, high = i < j ? j : i;
    return hash_unit((uint64_t)(high * n + low)) - 0.5 + (i == j ? (double)n : 0);
}

static void make_blocks(void) {
    lower = workload_allocate((size_t)(side * side) * sizeof *lower);
    for (long i = 0; i < side; ++i)
        for (long j = 0; j < side; ++j) {
            double* a = lower[i * side + j] = j <= i ? workload_allocate((size_t)(block * block) * sizeof *a) : NULL;
            for (long e = 0; a && e < block * block; ++e)
                a[e] = element(i * block + e / block, j * block + e % block);
        }
}

static double factor(long i, long j) { return block_at(i / block, j / block)[i % block * block + j % block]; }

/* The factor times its transpose, times a vector, must be the matrix times this vector. */
static void check(void) {
    double* vectors = workload_allocate(2 * (size_t)n * sizeof *vectors);
    double *x = vectors, *y = vectors + n;
    for (long i = 0; i < n; ++i)
        x[i] = 1 + hash_unit((uint64_t)i + 7);
    for (long j = 0; j < n; ++j) {
        y[j] = 0;
        for (long i = j; i < n; ++i)
            y[j] += factor(i, j) * x[i];
    }
    for (long i = 0; i < n; ++i) {
        double product = 0, expected = 0;
        for (long j = 0; j <= i; ++j)
            product += factor(i, j) * y[j];
        for (long j = 0; j < n; ++j)
            expected += element(i, j) * x[j];
        workload_expect(fabs(product - expected) < 1e-9 * (double)n, "row %ld sums to %g, expected %g", i, product,
                        expected);
    }
    free(vectors);
}

int main(int argc, char** argv) {
    workload_init(&self, argc, argv);
    if (n % block) workload_usage_error("--n must be a multiple of --block, not %ld", n);
    side = n / block;
    make_blocks();
    const double start = workload_seconds();
    const long regions = factorise_matrix();
    const double time_s = workload_seconds() - start;
    if (workload_check_wanted()) check();
    const double last = factor(n - 1, n - 1);
    for (long e = 0; e < side * side; ++e)
        free(lower[e]);
    free(lower);
    return workload_report(time_s, regions, "last:%.9f", last);
}
