// SPDX-License-Identifier: Apache-2.0
//
// A square of tasks. Each task depends on the task above it and on the task to its left.

#include "truth.h"

static char cell[512][512];

int main(int count, char** words) {
    truth_begin(count, words, 1);
    int64_t side = 1;
    while (side < 511 && (side + 1) * (side + 1) <= N)
        side++;
    mark(REGION_BEGINS);
#pragma omp parallel
#pragma omp single
    {
        mark(CREATION_BEGINS);
        for (int64_t i = 1; i <= side; i++) {
            for (int64_t j = 1; j <= side; j++) {
#pragma omp task depend(in : cell[i - 1][j], cell[i][j - 1]) depend(out : cell[i][j])
                grain(GRAIN, G, i, j);
            }
        }
        mark(CREATION_ENDS);
    }
    mark(REGION_ENDS);
    return truth_end();
}
