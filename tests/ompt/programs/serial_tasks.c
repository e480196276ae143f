// SPDX-License-Identifier: Apache-2.0
// Runs tasks and constructs of the initial thread outside any region.
//
// count: task_create.explicit 4
// count: schedule.complete 4
// count: sync.taskwait.begin 1
// count: sync.taskgroup.begin 1
// count: parallel_begin.* 0
// count: acquire.critical 1
// count: released.critical 1
// count: initial.* 2

int main(void) {
    int sum = 0;
    for (int i = 0; i < 3; ++i) {
#pragma omp task shared(sum)
        ++sum;
    }
#pragma omp taskwait
#pragma omp taskgroup
    {
#pragma omp task shared(sum)
        ++sum;
    }
#pragma omp critical
    ++sum;
    return sum != 5;
}
