// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=1 OMP_MAX_TASK_PRIORITY=9
// stock: fails, taskyield does nothing
// flags: -Wno-unused-variable -O0
// clang: the compiler crashes
//
// While a task of low priority waits for its children, an unrelated task of high priority becomes
// ready. This task runs before the remaining children.
#include "check.h"

enum { CHILDREN = 4 };

static int ended, before = -1;

int main(void) {
    static int data;
#pragma omp parallel
#pragma omp single
    {
        omp_event_handle_t event;
#pragma omp task detach(event) depend(out : data)
        data = 1;
        const omp_event_handle_t opened = event;
        while (data == 0) {
#pragma omp taskyield
        }
#pragma omp task untied priority(5) depend(in : data)
        before = ended;
#pragma omp task untied priority(1) firstprivate(opened)
        {
#pragma omp taskgroup
            for (int i = 0; i < CHILDREN; i++) {
#pragma omp task untied priority(1)
                if (++ended == 1) omp_fulfill_event(opened);
            }
            CHECK_EQ(ended, CHILDREN);
        }
    }
    CHECK_EQ(before, 1);
    return 0;
}
