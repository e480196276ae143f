// SPDX-License-Identifier: Apache-2.0
//
// Situation: the program sleeps for half a second after a region of 2, 4 and 16 threads
// Catches: a runtime whose workers spin for a long time after a region, waiting for the next one
#include "crowd/waits.h"

#include <omp.h>

int main(void) {
    static const int kThreads[] = {2, 4, 16};
    for (unsigned i = 0; i < sizeof kThreads / sizeof *kThreads; ++i) {
#pragma omp parallel num_threads(kThreads[i])
        {
#pragma omp barrier
        }
        waits_while_others_wait_ms(500);
    }
    waits_note(500);
    return 0;
}
