// SPDX-License-Identifier: Apache-2.0
//
// Every thread creates tasks that create tasks while other threads steal, with a barrier in
// between, for many rounds.
#include "check.h"

int main(void) {
    int size = omp_get_max_threads(), rounds = size > 8 ? 20 : 100;
    long count = 0;
    omp_set_dynamic(0);
#pragma omp parallel
    for (int round = 1; round <= rounds; round++) {
        for (int i = 0; i < 10; i++) {
#pragma omp task shared(count)
            for (int j = 0; j < 3; j++) {
#pragma omp task shared(count)
                {
#pragma omp atomic
                    count++;
                }
            }
        }
#pragma omp barrier
        CHECK_EQ(count, 30L * size * round);
#pragma omp barrier
    }
}
