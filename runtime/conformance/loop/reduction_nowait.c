// SPDX-License-Identifier: Apache-2.0
//
// A reduction on a nowait loop is complete after the next barrier.
#include "check.h"

enum { N = 500, ROUNDS = 50 };

int main(void) {
    long sum = 0;
    double product = 1;
#pragma omp parallel
    for (int round = 1; round <= ROUNDS; round++) {
#pragma omp for reduction(+ : sum) reduction(* : product) schedule(dynamic, 3) nowait
        for (int i = 0; i < N; i++) {
            sum += i;
            product *= i == 77 ? 2 : 1;
        }
#pragma omp barrier
        CHECK_EQ(sum, (long)round * N * (N - 1) / 2);
        CHECK(product == __builtin_ldexp(1, round));
#pragma omp barrier
    }
}
