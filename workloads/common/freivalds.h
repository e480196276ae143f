/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Freivalds' check of a product of matrices: C x must equal A (B x). A direct product would take
 * longer than the workload. A wrong element of C changes C x, because no element of x is zero.
 */
#ifndef WORKLOADS_FREIVALDS_H
#define WORKLOADS_FREIVALDS_H

#include <math.h>

#include "hash.h"
#include "workload.h"

/* Multiplies a matrix, however it is stored, by a vector. */
typedef void freivalds_apply(const void* matrix, const double* vector, double* result);

/* Matrices of n rows; a row of C x may be off by `tolerance` times the square of n. */
static inline void freivalds_check(long n, double tolerance, freivalds_apply* apply, const void* a, const void* b,
                                   const void* c) {
    double* vectors = workload_allocate(4 * (size_t)n * sizeof *vectors);
    double *x = vectors, *bx = x + n, *expected = bx + n, *cx = expected + n;
    for (long i = 0; i < n; ++i)
        x[i] = 1 + hash_unit((uint64_t)i + 7);
    apply(b, x, bx);
    apply(a, bx, expected);
    apply(c, x, cx);
    for (long i = 0; i < n; ++i)
        workload_expect(fabs(cx[i] - expected[i]) < tolerance * (double)n * (double)n,
                        "row %ld sums to %g, expected %g", i, cx[i], expected[i]);
    free(vectors);
}

#endif
