// SPDX-License-Identifier: Apache-2.0
// Situation: fork of a fork, 100 generations deep, each of which uses OpenMP before and after
// Catches: a runtime that recovers from a fork only once, or that needs more memory in each generation.

#include "../use_openmp.h"

enum { kGenerations = 100 };

static void generation(int left) {
    use_openmp(3);
    if (left > 0) {
        const pid_t child = fork();
        if (child == 0) {
            generation(left - 1);
            _exit(0);
        }
        situation_join(child);
        use_openmp(4);
    }
}

int main(void) {
    generation(kGenerations);
    return 0;
}
