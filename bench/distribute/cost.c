// SPDX-License-Identifier: Apache-2.0
// Measures how long malloc and free take for blocks of several sizes. Prints "SIZE TOUCHED
// NANOSECONDS" for each size, where NANOSECONDS is the median of several rounds. TOUCHED says
// whether each page of the block was written.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 11 };

static double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int compare(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double round_ns(size_t bytes, int touched, long pairs) {
    const double begin = now_ns();
    for (long i = 0; i < pairs; ++i) {
        char* volatile block = malloc(bytes);
        if (block == NULL) exit(1);
        for (size_t at = 0; touched && at < bytes; at += 4096)
            block[at] = 1;
        free(block);
    }
    return (now_ns() - begin) / (double)pairs;
}

static void measure(size_t bytes, int touched, long pairs) {
    double rounds[ROUNDS];
    for (int round = 0; round < ROUNDS; ++round)
        rounds[round] = round_ns(bytes, touched, pairs);
    qsort(rounds, ROUNDS, sizeof rounds[0], compare);
    printf("%zu %d %.2f\n", bytes, touched, rounds[ROUNDS / 2]);
}

int main(void) {
    measure(64, 0, 1000000);
    measure(5000, 0, 1000000);
    for (int touched = 0; touched < 2; ++touched) {
        measure((size_t)2 << 20, touched, touched ? 20 : 100);
        measure((size_t)64 << 20, touched, touched ? 1 : 100);
    }
    return 0;
}
