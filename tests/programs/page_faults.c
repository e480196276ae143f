// SPDX-License-Identifier: Apache-2.0
// Each thread fills some arrays again and again. With "fresh" it allocates and frees them in each
// step. They are so large together that the C library returns their memory to the system each time.
// With "kept" it uses the same arrays.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 400, ARRAYS = 8, BYTES = 1 << 19 };

struct arrays {
    char* of[ARRAYS];
};

static struct arrays allocate(void) {
    struct arrays all;
    for (int at = 0; at < ARRAYS; ++at)
        if ((all.of[at] = malloc(BYTES)) == NULL) abort();
    return all;
}

static void release(struct arrays all) {
    for (int at = ARRAYS - 1; at >= 0; --at)
        free(all.of[at]);
}

static void fill(struct arrays all, int value) {
    for (int at = 0; at < ARRAYS; ++at) {
        memset(all.of[at], value, BYTES);
        if (all.of[at][value] == -1) puts("never");
    }
}

int main(int argc, char** argv) {
    const int keeps = argc > 1 && strcmp(argv[1], "kept") == 0;
#pragma omp parallel
    {
        struct arrays own = allocate();
#pragma omp for schedule(dynamic, 10)
        for (int step = 0; step < STEPS; ++step) {
            struct arrays used = keeps ? own : allocate();
            fill(used, step % 100);
            if (!keeps) release(used);
        }
        release(own);
    }
    return 0;
}
