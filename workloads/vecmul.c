/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cross products of vectors in space: a task reads a list `a` and a list `b` of vectors and writes a
 * list `c`. Each list is a separate allocation, so a task's three lists may be on different nodes.
 */
#include <math.h>

#include "common/distributed.h"
#include "common/hash.h"
#include "common/workload.h"

enum { AXES = 3 };

static long vectors, kib, rounds;

static const workload_option options[] = {
    {"vectors", "number of results, of a size each", &vectors, 1, 1000000, {128, 128, 128}, NULL},
    {"kib", "size of a result and of both operands in KiB", &kib, 1, 1048576, {28, 256, 1024}, NULL},
    {"rounds", "how often each result is computed", &rounds, 1, 500, {1, 1, 1}, NULL},
};
static const workload self = {"vecmul",
                              "multiplies lists of vectors pairwise, one task per pair of lists (after Muddukrishna "
                              "2016, chapter 3: its input on the TILEPro64 is small)",
                              options, WORKLOAD_OPTION_COUNT(options)};

/* In doubles; what does not fill a vector in space is not used. */
static long length(void) { return kib * 1024 / (long)(AXES * sizeof(double)) * AXES; }

static void multiply(const double* a, const double* b, double* c, long n) {
    for (long i = 0; i < n; i += AXES) {
        c[i] = a[i + 1] * b[i + 2] - a[i + 2] * b[i + 1];
        c[i + 1] = a[i + 2] * b[i] - a[i] * b[i + 2];
        c[i + 2] = a[i] * b[i + 1] - a[i + 1] * b[i];
    }
}

static void spawn_multiply(const double* a, const double* b, double* c, long n) {
#pragma omp task depend(in : a[ : n], b[ : n]) depend(out : c[ : n])
    multiply(a, b, c, n);
}

static void multiply_all(double** a, double** b, double** c) {
#pragma omp parallel
#pragma omp single
    for (long round = 0; round < rounds; ++round)
        for (long v = 0; v < vectors; ++v)
            spawn_multiply(a[v], b[v], c[v], length());
}

static double dot(const double* x, const double* y) { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; }

/*
 * Only a x b and b x a are at right angles to both, with the square that Lagrange's identity gives them; their first
 * components tell them apart.
 */
static int is_product(const double* c, const double* a, const double* b) {
    const double square = dot(a, a) * dot(b, b) - dot(a, b) * dot(a, b);
    return fabs(dot(a, c)) < 1e-14 && fabs(dot(b, c)) < 1e-14 && fabs(dot(c, c) - square) < 1e-14 &&
           fabs(c[0] + a[2] * b[1] - a[1] * b[2]) < 1e-14;
}

static void check(double** a, double** b, double** c) {
    for (long v = 0; v < vectors; ++v)
        for (long i = 0; i < length(); i += AXES)
            workload_expect(is_product(c[v] + i, a[v] + i, b[v] + i), "product %ld of list %ld is (%g, %g, %g)",
                            i / AXES, v, c[v][i], c[v][i + 1], c[v][i + 2]);
}

static void fill(double** list, uint64_t seed) {
    for (long v = 0; v < vectors; ++v)
        for (long i = 0; i < length(); ++i)
            list[v][i] = hash_unit(seed << 60 | (uint64_t)v << 32 | (uint64_t)i) - 0.5;
}

int main(int argc, char** argv) {
    workload_init(&self, argc, argv);
    double** a = distributed_vectors(vectors, length());
    double** b = distributed_vectors(vectors, length());
    double** c = distributed_vectors(vectors, length());
    fill(a, 1);
    fill(b, 2);
    fill(c, 3);
    const double start = workload_seconds();
    multiply_all(a, b, c);
    const double time_s = workload_seconds() - start;
    if (workload_check_wanted()) check(a, b, c);
    const double last = c[vectors - 1][length() - 1];
    distributed_free_vectors(a, vectors);
    distributed_free_vectors(b, vectors);
    distributed_free_vectors(c, vectors);
    return workload_report(time_s, vectors * rounds, "last:%.9f", last);
}
