/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pattern `map`: one task scales one vector. Each vector is a separate allocation, so with
 * OMP_DATA_DISTRIBUTION=coarse all data of a task lie on one node.
 */
#include <math.h>

#include "common/distributed.h"
#include "common/hash.h"
#include "common/workload.h"

static long vectors, kib, rounds;

static const workload_option options[] = {
    {"vectors", "number of vectors", &vectors, 1, 1000000, {63, 48, 48}, NULL},
    {"kib", "size of a vector in KiB", &kib, 1, 1048576, {32, 256, 1024}, NULL},
    {"rounds", "how often each vector is scaled", &rounds, 1, 500, {1, 1, 1}, NULL},
};
static const workload self = {"map",
                              "scales a list of vectors, one task each (Muddukrishna 2016, chapter 3: its input on the "
                              "TILEPro64 is small, on the Opteron large)",
                              options, WORKLOAD_OPTION_COUNT(options)};

static long length(void) { return kib * 1024 / (long)sizeof(double); }

static double initial(long vector, long i) { return hash_unit((uint64_t)vector << 32 | (uint64_t)i); }

static void scale(double* vector, long n) {
    for (long i = 0; i < n; ++i)
        vector[i] *= 0.5;
}

static void spawn_scale(double* vector, long n) {
#pragma omp task depend(inout : vector[ : n])
    scale(vector, n);
}

static void scale_all(double** list) {
#pragma omp parallel
#pragma omp single
    for (long round = 0; round < rounds; ++round)
        for (long v = 0; v < vectors; ++v)
            spawn_scale(list[v], length());
}

/* Halving is exact, so the result is known bit by bit. */
static void check(double** list) {
    for (long v = 0; v < vectors; ++v)
        for (long i = 0; i < length(); ++i)
            workload_expect(list[v][i] == ldexp(initial(v, i), -(int)rounds), "element %ld of vector %ld is %g", i, v,
                            list[v][i]);
}

int main(int argc, char** argv) {
    workload_init(&self, argc, argv);
    double** list = distributed_vectors(vectors, length());
    for (long v = 0; v < vectors; ++v)
        for (long i = 0; i < length(); ++i)
            list[v][i] = initial(v, i);
    const double start = workload_seconds();
    scale_all(list);
    const double time_s = workload_seconds() - start;
    if (workload_check_wanted()) check(list);
    const double last = list[vectors - 1][length() - 1];
    distributed_free_vectors(list, vectors);
    return workload_report(time_s, vectors * rounds, "last:%.9f", last);
}
