/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A splittable source of random numbers: the value at any position is a hash of that position, so tasks need no
 * shared generator and every run, serial or parallel, sees the same input. The mixing function is the finaliser of
 * SplitMix64 (Steele, Lea and Flood, 2014).
 */
#ifndef WORKLOAD_HASH_H
#define WORKLOAD_HASH_H

#include <stdint.h>

static inline uint64_t hash_mix(uint64_t value) {
    value += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

/* Uniform in [0, 1). */
static inline double hash_unit(uint64_t value) { return (double)(hash_mix(value) >> 11) * 0x1p-53; }

/* A known amount of work that no compiler can remove: `rounds` dependent mixing steps. */
static inline uint64_t hash_chain(uint64_t value, long rounds) {
    for (long i = 0; i < rounds; ++i)
        value = hash_mix(value);
    return value;
}

#endif
