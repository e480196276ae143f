// SPDX-License-Identifier: Apache-2.0
// Runs a tree of N tasks, where N is the argument: each task creates two smaller subtrees and waits
// for them.

#include <stdlib.h>

static volatile unsigned sink;

static void run(int tasks) {
    sink = (unsigned)tasks;
    const int rest = tasks - 1;
    if (rest == 0) return;
    const int larger = rest - rest / 3;
#pragma omp task
    run(larger);
    if (rest > larger) {
#pragma omp task
        run(rest - larger);
    }
#pragma omp taskwait
}

int main(int argc, char** argv) {
    if (argc != 2 || atoi(argv[1]) < 1) return 2;
#pragma omp parallel
#pragma omp single
#pragma omp task
    run(atoi(argv[1]));
    return 0;
}
