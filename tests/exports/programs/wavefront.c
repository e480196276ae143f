// SPDX-License-Identifier: Apache-2.0
// Creates a task for each cell of a square. The task depends on the tasks of the cells above and to
// the left of its cell.

enum { SIDE = 6 };

int cells[SIDE + 1][SIDE + 1];

int main(void) {
    for (int i = 0; i <= SIDE; ++i) cells[0][i] = cells[i][0] = 1;
#pragma omp parallel
#pragma omp single
    for (int row = 1; row <= SIDE; ++row)
        for (int column = 1; column <= SIDE; ++column) {
#pragma omp task depend(in : cells[row - 1][column], cells[row][column - 1]) depend(out : cells[row][column])
            cells[row][column] = cells[row - 1][column] + cells[row][column - 1];
        }
    return cells[SIDE][SIDE] == 924 ? 0 : 1;
}
