// SPDX-License-Identifier: Apache-2.0
// clang: it refuses variable-length arrays in firstprivate
//
// firstprivate data with an alignment of 64 or 128 bytes has this alignment in the task, deferred
// or not.
#include "check.h"
#include <stdint.h>

struct line {
    _Alignas(64) int value;
};
struct two_lines {
    _Alignas(128) int value[40];
};

int main(void) {
    int done = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 200; i++) {
        struct line line = {i};
        struct two_lines two_lines = {{i, i + 1}};
        char odd[i % 7 + 1];
        memset(odd, i, sizeof odd);
#pragma omp task firstprivate(line, two_lines, odd) if (i % 3)
        {
            CHECK_EQ((uintptr_t)&line % 64, 0);
            CHECK_EQ((uintptr_t)&two_lines % 128, 0);
            CHECK_EQ(line.value, i);
            CHECK_EQ(two_lines.value[1], i + 1);
            CHECK_EQ(odd[i % 7], (char)i);
#pragma omp atomic
            done++;
        }
    }
    CHECK_EQ(done, 200);
}
