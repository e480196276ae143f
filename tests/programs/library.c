// SPDX-License-Identifier: Apache-2.0
// Loaded by a program that knows nothing of OpenMP.

long sum_of_squares(long n) {
    long sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 100)
    for (long i = 1; i <= n; ++i)
        sum += i * i;
    return sum;
}
