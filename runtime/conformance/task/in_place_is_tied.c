// SPDX-License-Identifier: Apache-2.0
//
// One creator floods its queue with tasks, so it runs some of them in place. Most tasks have no
// task scheduling point; some later ones reach a scheduling point in the middle. These tasks are
// tied, whether they run in place or not: no sibling starts on their thread meanwhile.
#include "check.h"

enum { kTasks = 8000, kLeaves = 3000, kOther = 50, kChildren = 5 };

static int in_the_middle, begun_there;
static volatile int touched;

static void work(int number) {
    if (in_the_middle > 0) begun_there++;
    if (number < kLeaves || number % kOther != 0) return;
    in_the_middle++;
    for (int i = 0; i < kChildren; i++) {
#pragma omp task
        touched = i;
#pragma omp taskyield
    }
    in_the_middle--;
}

int main(void) {
#pragma omp parallel num_threads(1)
    for (int i = 0; i < kTasks; i++) {
#pragma omp task
        work(i);
    }
    CHECK_EQ(in_the_middle, 0);
    CHECK_EQ(begun_there, 0);
}
