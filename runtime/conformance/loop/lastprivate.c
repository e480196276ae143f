// SPDX-License-Identifier: Apache-2.0
// clang: lastprivate(conditional) sets variables that no iteration has set, on libomp, too
//
// lastprivate, lastprivate(conditional:) and linear give the values of the sequentially last
// iteration.
#include "check.h"

enum { N = 777 };

static void check_lastprivate(int chunk) {
    int i, last = -1, sequence = 0;
#pragma omp parallel for lastprivate(last, i) linear(sequence : 3) schedule(dynamic, chunk)
    for (i = 0; i < N; i++) {
        CHECK_EQ(sequence, 3 * i);
        last = i * 2;
        sequence += 3;
    }
    CHECK_EQ(last, 2 * (N - 1));
    CHECK_EQ(i, N);
    CHECK_EQ(sequence, 3 * N);
}

// Whoever runs the last iteration finds much to steal from a slow member, and must still be the one
// whose value counts.
static void check_last_before_others(void) {
    int last = -1;
#pragma omp parallel for lastprivate(last) schedule(dynamic, 1)
    for (int i = 0; i < N; i++) {
        last = i;
        if (i == 0) usleep(20000);
    }
    CHECK_EQ(last, N - 1);
}

static void check_conditional(int chunk) {
    int divisible = -1, never = -5;
#pragma omp parallel for lastprivate(conditional : divisible, never) schedule(dynamic, chunk)
    for (int i = 0; i < N; i++) {
        if (i % 100 == 0) divisible = i;
        if (i > N) never = i;
    }
    CHECK_EQ(divisible, 700);
    CHECK_EQ(never, -5);

    long odd = -1;
#pragma omp parallel
    {
#pragma omp for lastprivate(conditional : odd) schedule(guided, chunk)
        for (unsigned long long i = 0; i < N; i++)
            if (i % 2 == 1) odd = (long)i;
#pragma omp for lastprivate(conditional : odd) schedule(static)
        for (int i = 0; i < N; i++)
            if (i == 4) odd = i + 1000;
    }
    CHECK_EQ(odd, 1004);
}

int main(void) {
    for (int chunk = 1; chunk < 400; chunk = chunk * 4 + 1) {
        check_lastprivate(chunk);
        check_conditional(chunk);
    }
    check_last_before_others();
}
