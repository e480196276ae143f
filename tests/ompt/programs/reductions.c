// SPDX-License-Identifier: Apache-2.0
// Runs task reductions of a taskgroup, a loop, a region and a taskloop, and the scope construct.
//
// count: task_create.explicit 8+6+6+4
// count: schedule.complete 8+6+6+4
// count: work.taskloop.begin 1

int main(void) {
    int group = 0, loop = 0, region = 0, taskloop = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+ : group)
        for (int i = 0; i < 8; ++i) {
#pragma omp task in_reduction(+ : group)
            group += i;
        }
#pragma omp taskloop reduction(+ : taskloop) num_tasks(4)
        for (int i = 0; i < 40; ++i)
            taskloop += i;
    }
#pragma omp parallel
#pragma omp for schedule(dynamic) reduction(task, + : loop)
    for (int i = 0; i < 6; ++i) {
#pragma omp task in_reduction(+ : loop)
        loop += 1;
    }
#pragma omp parallel reduction(task, + : region)
    {
#pragma omp single nowait
        for (int i = 0; i < 6; ++i) {
#pragma omp task in_reduction(+ : region)
            region += 1;
        }
    }
    return group != 28 || loop != 6 || region != 6 || taskloop != 780;
}
