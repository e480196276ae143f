// SPDX-License-Identifier: Apache-2.0
// Copies a column of so many rows to the first device, to the last, and back.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "../check.h"

enum { WIDTH = 2 };

int main(int argc, char** argv) {
    const size_t rows = argc > 1 ? strtoull(argv[1], NULL, 10) : 5;
    const int host = omp_get_initial_device(), first = 0, last = omp_get_num_devices() - 1;
    char *given = malloc(rows * WIDTH), *got = calloc(rows, WIDTH);
    char *on_first = omp_target_alloc(rows * WIDTH, first), *on_last = omp_target_alloc(rows * WIDTH, last);
    CHECK(given != NULL && got != NULL && on_first != NULL && on_last != NULL);
    for (size_t i = 0; i < rows * WIDTH; ++i)
        given[i] = (char)(i * 7 + i / 1000);
    const size_t volume[2] = {rows, 1}, sizes[2] = {rows, WIDTH}, left[2] = {0, 0}, right[2] = {0, 1};
    CHECK(omp_target_memcpy_rect(on_first, given, 1, 2, volume, left, right, sizes, sizes, first, host) == 0);
    CHECK(omp_target_memcpy_rect(on_last, on_first, 1, 2, volume, left, left, sizes, sizes, last, first) == 0);
    CHECK(omp_target_memcpy_rect(got, on_last, 1, 2, volume, right, left, sizes, sizes, host, last) == 0);
    for (size_t i = 0; i < rows; ++i)
        CHECK(got[WIDTH * i] == 0 && got[WIDTH * i + 1] == given[WIDTH * i + 1]);
    printf("%zu rows, ok\n", rows);
    return 0;
}
