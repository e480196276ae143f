// SPDX-License-Identifier: Apache-2.0
// Runs the following on one thread: loops of two iterations with a static schedule, and masked
// regions, which Clang compiles into calls of the runtime. The arguments give the number of each.
#include <stdlib.h>

#define NOTHING() __asm__ volatile("")

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const int loops = atoi(argv[1]), masked = atoi(argv[2]);
#pragma omp parallel num_threads(1)
    {
        for (int i = 0; i < loops; ++i) {
#pragma omp for schedule(static) nowait
            for (int k = 0; k < 2; ++k)
                NOTHING();
        }
        for (int i = 0; i < masked; ++i) {
#pragma omp masked
            NOTHING();
        }
    }
    return 0;
}
