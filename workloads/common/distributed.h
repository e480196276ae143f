/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory from omp_malloc (teff.h): on Teff, OMP_DATA_DISTRIBUTION spreads it over the NUMA nodes;
 * on other runtimes it comes from malloc. As everywhere in the workloads, a program that gets no
 * memory ends.
 */
#ifndef WORKLOAD_DISTRIBUTED_H
#define WORKLOAD_DISTRIBUTED_H

#include <teff.h>

#include "workload.h"

static inline void* distributed_allocate(size_t bytes) {
    bytes += !bytes;
    return workload_memory(omp_malloc(bytes), bytes);
}

/* `count` vectors, each an allocation of its own: what `coarse` puts on one node each. */
static inline double** distributed_vectors(long count, long length) {
    double** vectors = workload_allocate((size_t)count * sizeof *vectors);
    for (long i = 0; i < count; ++i)
        vectors[i] = distributed_allocate((size_t)length * sizeof **vectors);
    return vectors;
}

static inline void distributed_free_vectors(double** vectors, long count) {
    for (long i = 0; i < count; ++i)
        omp_malloc_free(vectors[i]);
    free(vectors);
}

#endif
