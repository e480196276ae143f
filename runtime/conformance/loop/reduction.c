// SPDX-License-Identifier: Apache-2.0
//
// Tests reductions over loops: with built-in and user-defined operators, with array sections, and
// as inclusive and exclusive scans.
#include "check.h"

enum { N = 1000 };

struct extent {
    int low, high;
};
static void widen(struct extent* into, struct extent from) {
    into->low = from.low < into->low ? from.low : into->low;
    into->high = from.high > into->high ? from.high : into->high;
}
#pragma omp declare reduction(widen : struct extent : widen(&omp_out, omp_in))                                         \
    initializer(omp_priv = {1 << 30, -(1 << 30)})

static void check_operators(void) {
    long sum = 1, lowest = 1 << 30;
    double total = 0, highest = -1;
    _Complex double turn = 0;
    int histogram[10] = {0};
    struct extent extent = {0, 0};
#pragma omp parallel for reduction(+ : sum, total, histogram[ : 10], turn) reduction(min : lowest)                     \
    reduction(max : highest) reduction(widen : extent) schedule(dynamic, 13)
    for (int i = 0; i < N; i++) {
        sum += i;
        total += 0.5;
        turn += i % 2 ? 1.0i : 1.0;
        histogram[i % 10]++;
        lowest = i - 40 < lowest ? i - 40 : lowest;
        highest = i > highest ? i : highest;
        widen(&extent, (struct extent){-i, 2 * i});
    }
    CHECK_EQ(sum, 1 + N * (N - 1L) / 2);
    CHECK(total == N * 0.5 && turn == N / 2 * (1.0 + 1.0i));
    CHECK_EQ(lowest, -40);
    CHECK(highest == N - 1);
    CHECK_EQ(extent.low, 1 - N);
    CHECK_EQ(extent.high, 2 * (N - 1));
    for (int i = 0; i < 10; i++)
        CHECK_EQ(histogram[i], N / 10);
}

static void check_scans(void) {
    static long inclusive[N], exclusive[N];
    long sum = 0;
#pragma omp parallel for reduction(inscan, + : sum)
    for (int i = 0; i < N; i++) {
        sum += i;
#pragma omp scan inclusive(sum)
        inclusive[i] = sum;
    }
    CHECK_EQ(sum, N * (N - 1L) / 2);
    sum = 0;
#pragma omp parallel for reduction(inscan, + : sum)
    for (int i = 0; i < N; i++) {
        exclusive[i] = sum;
#pragma omp scan exclusive(sum)
        sum += i;
    }
    for (long i = 0; i < N; i++) {
        CHECK_EQ(inclusive[i], i * (i + 1) / 2);
        CHECK_EQ(exclusive[i], i * (i - 1) / 2);
    }
}

int main(void) {
    check_operators();
    check_scans();
}
