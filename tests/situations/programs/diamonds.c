// SPDX-License-Identifier: Apache-2.0
//
// Situation: 200,000 tasks in diamonds: four that depend on one, and one that depends on the four
// Catches: a runtime that searches all earlier siblings, or all earlier uses of an address, for each dependence
// env: OMP_NUM_THREADS=2
// limit: 20
#include "situation.h"

enum { kMiddles = 4, kTasks = 200000 };

int main(void) {
    static unsigned long top, middle[kMiddles];
#pragma omp parallel
#pragma omp single
    for (int diamond = 0; diamond < kTasks / (kMiddles + 1); ++diamond) {
        for (int i = 0; i < kMiddles; ++i) {
#pragma omp task depend(in : top) depend(out : middle[i]) firstprivate(i)
            middle[i] = top + (unsigned long)i;
        }
#pragma omp task depend(in : middle[0], middle[1], middle[2], middle[3]) depend(out : top)
        top = middle[0] + middle[1] - middle[2] + middle[3];
    }
    unsigned long expected = 0;
    for (int diamond = 0; diamond < kTasks / (kMiddles + 1); ++diamond) expected = 2 * expected + 2;
    if (top != expected) WRONG("%lu instead of %lu", top, expected);
    return 0;
}
