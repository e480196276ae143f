// SPDX-License-Identifier: Apache-2.0
//
// Situation: branch and bound: untied tasks, which an if clause makes undeferred below a depth, wait for tied tasks
// Catches: a runtime that has the innermost tied task only for queued tasks: libomp 19 dereferences a null pointer
// env: OMP_NUM_THREADS=4
// limit: 60
#include "situation.h"

enum { kItems = 24, kCapacity = 480, kCutoff = 12, kRounds = 10 };

static int weights[kItems], values[kItems];
static int best;

static void raise_best(int value) {
    int seen = __atomic_load_n(&best, __ATOMIC_RELAXED);
    while (seen < value && !__atomic_compare_exchange_n(&best, &seen, value, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

static int bound(int item, int value) {
    int rest = 0;
#pragma omp task shared(rest)
    for (int i = item; i < kItems; ++i)
        rest += values[i];
#pragma omp taskwait
    return value + rest;
}

static void branch(int item, int room, int value) {
    if (room < 0) return;
    if (item == kItems) return raise_best(value);
    if (bound(item, value) <= __atomic_load_n(&best, __ATOMIC_RELAXED)) return;
#pragma omp task untied if (item < kCutoff)
    branch(item + 1, room - weights[item], value + values[item]);
#pragma omp task untied if (item < kCutoff)
    branch(item + 1, room, value);
#pragma omp taskwait
}

static int by_table(void) {
    static int most[kCapacity + 1];
    for (int item = 0; item < kItems; ++item)
        for (int room = kCapacity; room >= weights[item]; --room)
            if (most[room] < most[room - weights[item]] + values[item]) most[room] = most[room - weights[item]] + values[item];
    return most[kCapacity];
}

int main(void) {
    for (int i = 0; i < kItems; ++i) {
        weights[i] = 15 + (i * 37 + 11) % 43;
        values[i] = weights[i] + (i * 29) % 17;
    }
    const int expected = by_table();
    for (int round = 0; round < kRounds; ++round) {
        best = 0;
#pragma omp parallel
#pragma omp single
        branch(0, kCapacity, 0);
        CHECK_EQ(best, expected);
    }
    return 0;
}
