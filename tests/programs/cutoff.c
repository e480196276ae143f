// SPDX-License-Identifier: Apache-2.0
// A binary tree of calls, 8 levels deep, whose first levels are tasks: with the cutoff N,
// 2^(N+1) - 2 of them. The cutoff is the argument or, without one, the variable CUTOFF. Cutoff 7
// fails.
#include <stdlib.h>

enum { LEVELS = 8, SPIN = 2000, FAILS = 7 };

static volatile long sink;

static void node(int levels, int cutoff) {
  if (levels == 0) {
    for (int i = 0; i < SPIN; ++i)
      sink = i;
    return;
  }
  if (cutoff == 0) {
    node(levels - 1, 0);
    node(levels - 1, 0);
    return;
  }
#pragma omp task
  node(levels - 1, cutoff - 1);
#pragma omp task
  node(levels - 1, cutoff - 1);
#pragma omp taskwait
}

int main(int argc, char **argv) {
  const char *cutoff = argc > 1 ? argv[1] : getenv("CUTOFF");
  const int tasks = cutoff == NULL ? 0 : atoi(cutoff);
  if (tasks == FAILS)
    return 5;
#pragma omp parallel
#pragma omp single
  node(LEVELS, tasks);
  return 0;
}
