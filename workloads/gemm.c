/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix multiplication in blocks, on devices. Each device has the second factor. One target region
 * with nowait and depend clauses adds the product of two blocks to a block of the result. The
 * regions of one row of blocks run on the same device if the program places them; with
 * --place runtime they have no device clause, and the runtime decides.
 */
#include "common/devices.h"
#include "common/freivalds.h"
#include "common/hash.h"
#include "common/workload.h"

static long n, block, side, place, pause_us; /* side: blocks per row and column */

static const char* const place_names[] = {"program", "runtime"};
static const workload_option options[] = {
    {"n", "rows and columns, a multiple of --block", &n, 1, 32768, {128, 512, 2048}, NULL},
    {"block", "rows and columns of a block", &block, 1, 4096, {32, 64, 128}, NULL},
    {"place", "who chooses the device of a region", &place, 0, 1, {0, 0, 0}, place_names},
    {"sleep", "microseconds that each region also sleeps, in place of work", &pause_us, 0, 1000000, {0, 0, 0}, NULL},
};
static const workload self = {"gemm",
                              "multiplies two square matrices on devices, one target region per product of blocks",
                              options, WORKLOAD_OPTION_COUNT(options)};

#pragma omp declare target
static void add_product(const double* a, const double* b, double* c, long size, long pause) {
    device_sleep(pause);
#pragma omp parallel for
    for (long i = 0; i < size; ++i)
        for (long k = 0; k < size; ++k)
            for (long j = 0; j < size; ++j)
                c[i * size + j] += a[i * size + k] * b[k * size + j];
}
#pragma omp end declare target

static void spawn(const double* a, const double* b, double* c, int device) {
    const long size = block, area = block * block, pause = pause_us;
    if (place == 0) {
#pragma omp target device(device) nowait map(to : a[ : area], b[ : area]) map(tofrom : c[ : area])                     \
    depend(in : a[ : area]) depend(inout : c[ : area])
        add_product(a, b, c, size, pause);
    } else {
#pragma omp target nowait map(to : a[ : area], b[ : area]) map(tofrom : c[ : area]) depend(in : a[ : area])            \
    depend(inout : c[ : area])
        add_product(a, b, c, size, pause);
    }
}

static double* block_of(double* matrix, long i, long j) { return matrix + (i * side + j) * block * block; }

static void multiply(double* a, double* b, double* c) {
    const long parts = device_parts();
    for (long part = 0; part < parts; ++part) {
#pragma omp target enter data device(device_of_part(part)) map(to : b[ : n * n])
    }
    for (long k = 0; k < side; ++k)
        for (long i = 0; i < side; ++i)
            for (long j = 0; j < side; ++j)
                spawn(block_of(a, i, k), block_of(b, k, j), block_of(c, i, j), device_of_part(i));
#pragma omp taskwait
    for (long part = 0; part < parts; ++part) {
#pragma omp target exit data device(device_of_part(part)) map(release : b[ : n * n])
    }
}

static void apply(const void* matrix, const double* vector, double* result) {
    const double* blocks = matrix;
    memset(result, 0, (size_t)n * sizeof *result);
    for (long i = 0; i < n; ++i)
        for (long j = 0; j < n; ++j) {
            const long number = i / block * side + j / block;
            result[i] += blocks[number * block * block + i % block * block + j % block] * vector[j];
        }
}

static double* new_matrix(uint64_t seed) {
    double* matrix = workload_allocate((size_t)(n * n) * sizeof *matrix);
    for (long i = 0; i < n * n; ++i)
        matrix[i] = seed == 0 ? 0 : hash_unit(seed << 60 | (uint64_t)i) - 0.5;
    return matrix;
}

int main(int argc, char** argv) {
    workload_init(&self, argc, argv);
    if (n % block) workload_usage_error("--n must be a multiple of --block, not %ld", n);
    side = n / block;
    double *a = new_matrix(1), *b = new_matrix(2), *c = new_matrix(0);
    const double start = workload_seconds();
    multiply(a, b, c);
    const double time_s = workload_seconds() - start;
    if (workload_check_wanted()) freivalds_check(n, 1e-12, apply, a, b, c);
    const double corner = c[0];
    free(a);
    free(b);
    free(c);
    return workload_report(time_s, side * side * side, "c00:%.9f", corner);
}
