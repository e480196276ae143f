// SPDX-License-Identifier: Apache-2.0
// Runs regions of one thread, nested N deep, where N is the argument.
#include <omp.h>
#include <stdlib.h>

static int nest(int levels) {
    int deepest = omp_get_level();
    if (levels > 0) {
#pragma omp parallel num_threads(1)
        deepest = nest(levels - 1);
    }
    return deepest;
}

int main(int count, char** words) {
    const int levels = count > 1 ? atoi(words[1]) : 0;
    return nest(levels) != levels;
}
