// SPDX-License-Identifier: Apache-2.0
//
// A wavefront over a grid of 60 x 60 tasks: each sees its upper and left neighbour finished.
#include "check.h"

enum { N = 60 };
static int grid[N + 1][N + 1];

int main(void) {
#pragma omp parallel
#pragma omp single
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++) {
#pragma omp task depend(in : grid[i - 1][j], grid[i][j - 1]) depend(out : grid[i][j])
            {
                CHECK(i == 1 || grid[i - 1][j] == i + j - 1);
                CHECK(j == 1 || grid[i][j - 1] == i + j - 1);
                grid[i][j] = i + j;
            }
        }
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++)
            CHECK_EQ(grid[i][j], i + j);
}
