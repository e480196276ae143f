// SPDX-License-Identifier: Apache-2.0
//
// Rounds of three tasks: a detachable task; a longer task that fulfils the event of the first one
// after its work; and a task that depends on the first one.

#include "truth.h"

__attribute__((unused)) static char value;

int main(int count, char** words) {
    truth_begin(count, words, 1);
    mark(REGION_BEGINS);
#pragma omp parallel
#pragma omp single
    for (int64_t round = 0; round < N / 5; round++) {
        omp_event_handle_t event;
#pragma omp task detach(event) depend(out : value)
        grain(GRAIN, G, round, 0);
#pragma omp task firstprivate(event)
        {
            grain(OTHER, 3 * G, round, 0);
            omp_fulfill_event(event);
        }
#pragma omp task depend(in : value)
        grain(GRAIN, G, round, 1);
#pragma omp taskwait
    }
    mark(REGION_ENDS);
    return truth_end();
}
