// SPDX-License-Identifier: Apache-2.0
// TASKS tasks whose events they fulfil themselves outside of parallel regions, and TASKS undeferred
// ones in a region.
#include <omp.h>

enum { TASKS = 100 };

int main(void) {
    for (int i = 0; i < TASKS; i++) {
        omp_event_handle_t event;
#pragma omp task detach(event)
        omp_fulfill_event(event);
    }
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < TASKS; i++) {
        omp_event_handle_t event;
#pragma omp task detach(event) if (0)
        omp_fulfill_event(event);
    }
}
