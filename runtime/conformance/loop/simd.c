// SPDX-License-Identifier: Apache-2.0
//
// Tests loops that are both divided among threads and vectorised, with the simd schedule modifier.
#include "check.h"

enum { N = 1003 };
static float a[N], b[N];

int main(void) {
    float sum = 0;
#pragma omp parallel for simd schedule(simd : dynamic, 5)
    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = 2 * i;
    }
#pragma omp parallel for simd schedule(simd, monotonic : static, 3) reduction(+ : sum)
    for (int i = 0; i < N; i++)
        sum += b[i] - 2 * a[i] + 1;
    CHECK(sum == N);
    for (int i = 0; i < N; i++)
        CHECK(a[i] == i && b[i] == 2 * i);
}
