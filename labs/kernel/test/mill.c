// SPDX-License-Identifier: Apache-2.0
//
// An ordinary compiled computation whose code is in the registered range. Its result shows whether
// any of its state was lost.

#include "harness.h"

__attribute__((section("preemptible"), noinline)) uint64_t mill(uint64_t seed, uint64_t rounds) {
    uint64_t state[8];
    double wave[8];
    for (int i = 0; i < 8; i++) {
        state[i] = seed * (uint64_t)(2 * i + 1);
        wave[i] = (double)(seed % 1000 + (uint64_t)i) / 7.0;
    }
    for (uint64_t round = 0; round < rounds; round++) {
        for (int i = 0; i < 8; i++) {
            state[i] = (state[i] << 13 | state[i] >> 51) * 0x9e3779b97f4a7c15ULL + round;
            wave[i] = wave[i] * 0.999 + (double)(state[i] >> 40) * 1e-6;
        }
    }
    uint64_t digest = 0;
    for (int i = 0; i < 8; i++)
        digest = digest * 31 + state[i] + (uint64_t)(wave[i] * 1e9);
    return digest;
}
