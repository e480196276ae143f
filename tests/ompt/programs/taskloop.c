// SPDX-License-Identifier: Apache-2.0
// Runs taskloops that are split by the size of a task and by the number of tasks, with and without
// nogroup.
//
// count: work.taskloop.begin 3
// count: work.taskloop.end 3
// count: task_create.explicit 10+7+5
// count: schedule.complete 10+7+5
// count: sync.taskgroup.begin 2
// count: dispatch.taskloop_chunk 10+7+5

int hits[3][100];

int main(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop grainsize(10)
        for (int i = 0; i < 100; ++i)
            ++hits[0][i];
#pragma omp taskloop num_tasks(7)
        for (int i = 0; i < 100; ++i)
            ++hits[1][i];
#pragma omp taskloop num_tasks(5) nogroup
        for (unsigned long long i = 10; i < 100; i += 2)
            ++hits[2][i];
    }
    for (int i = 0; i < 100; ++i)
        if (hits[0][i] != 1 || hits[1][i] != 1 || hits[2][i] != (i >= 10 && i % 2 == 0)) return 1;
    return 0;
}
