// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=1 OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=off
// stock: fails, children go behind all tasks of their priority
//
// The order in which one thread runs tasks with priorities: a taskloop's priority counts, and the
// child of a task that has begun runs before tasks of the same priority that have not begun.
#include "check.h"

enum { REQUESTS = 200, CHILDREN = 2 };

static int order[1000], count;

static void note(int what) { order[count++] = what; }

static void a_taskloops_priority_counts(void) {
    count = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task priority(2)
        note(2);
#pragma omp taskloop priority(7) num_tasks(2) nogroup
        for (int i = 0; i < 2; ++i)
            note(7);
#pragma omp taskloop priority(1) num_tasks(2) nogroup
        for (int i = 0; i < 2; ++i)
            note(1);
    }
    const int expected[] = {7, 7, 2, 1, 1};
    CHECK_EQ(count, 5);
    for (int i = 0; i < count; ++i)
        CHECK_EQ(order[i], expected[i]);
}

static void children_go_before_later_requests(void) {
    count = 0;
#pragma omp parallel
#pragma omp single
    for (int request = 0; request < REQUESTS; ++request) {
#pragma omp task untied priority(3) firstprivate(request)
        {
            note(request);
            for (int child = 0; child < CHILDREN; ++child) {
#pragma omp task untied priority(3) firstprivate(request)
                note(request);
            }
        }
    }
    CHECK_EQ(count, REQUESTS * (1 + CHILDREN));
    for (int i = 0; i < count; ++i)
        CHECK_EQ(order[i], i / (1 + CHILDREN));
}

int main(void) {
    a_taskloops_priority_counts();
    children_go_before_later_requests();
    return 0;
}
