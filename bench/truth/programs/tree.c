// SPDX-License-Identifier: Apache-2.0
//
// A tree of tasks like that of the Fibonacci numbers. A task with children has a grain before it
// creates each child, and one after the taskwait. With UNTIED, the tasks are untied and also yield.
// Tasks are numbered as in a heap: the children of task a are 2a and 2a + 1.

#include "truth.h"

#ifdef UNTIED
#define TASK _Pragma("omp task untied")
#define YIELD _Pragma("omp taskyield")
#else
#define TASK _Pragma("omp task")
#define YIELD
#endif

static void node(int64_t number, int n) {
    grain(GRAIN, G, number, 0);
    if (n < 2) return;
    TASK node(2 * number, n - 1);
    YIELD
    grain(GRAIN, G, number, 1);
    TASK node(2 * number + 1, n - 2);
#pragma omp taskwait
    grain(GRAIN, G, number, 2);
}

// The largest tree of at most N grains.
static int depth(void) {
    int n = 1;
    for (int64_t before = 1, grains = 1; grains <= N; n++) {
        int64_t next = before + grains + 3;
        before = grains;
        grains = next;
    }
    return n > 3 ? n - 1 : 2;
}

int main(int count, char** words) {
    truth_begin(count, words, 1);
    mark(REGION_BEGINS);
#pragma omp parallel
#pragma omp single
    node(1, depth());
    mark(REGION_ENDS);
    return truth_end();
}
