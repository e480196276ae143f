// SPDX-License-Identifier: Apache-2.0
//
// Tests reductions over taskloops: with the reduction clause, as part of a taskgroup's reduction,
// user-defined, and over arrays. The loop variable is an int or an unsigned long long.
#include "check.h"

enum { N = 400 };

struct sum_and_count {
    long sum, count;
};
#pragma omp declare reduction(add : struct sum_and_count : omp_out.sum += omp_in.sum, omp_out.count += omp_in.count)   \
    initializer(omp_priv = {0, 0})

int main(void) {
    long sum = 7, grouped = 0;
    int histogram[8] = {0};
    double highest = -1;
    struct sum_and_count pair = {0, 0};
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop reduction(+ : sum, histogram) reduction(max : highest) reduction(add : pair) grainsize(11)
        for (int i = 0; i < N; i++) {
            sum += i;
            histogram[i % 8]++;
            highest = i > highest ? i : highest;
            pair.sum += 2 * i;
            pair.count++;
        }
#pragma omp taskgroup task_reduction(+ : grouped)
        {
#pragma omp taskloop in_reduction(+ : grouped) nogroup num_tasks(5)
            for (unsigned long long i = 0; i < N; i++)
                grouped += i;
#pragma omp task in_reduction(+ : grouped)
            grouped += 1000000;
        }
    }
    CHECK_EQ(sum, 7 + N * (N - 1) / 2);
    CHECK_EQ(grouped, 1000000 + N * (N - 1) / 2);
    CHECK(highest == N - 1);
    CHECK_EQ(pair.sum, N * (N - 1));
    CHECK_EQ(pair.count, N);
    for (int i = 0; i < 8; i++)
        CHECK_EQ(histogram[i], N / 8);
}
