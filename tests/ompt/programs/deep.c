// SPDX-License-Identifier: Apache-2.0
// Nests regions four deep, with tasks between them: the entry points must show every level.
//
// env: OMP_MAX_ACTIVE_LEVELS=4
// count: parallel_begin.team 1+1+2+4
// count: implicit.begin T+2+4+8
// count: task_create.explicit 1+2+4+8
// count: schedule.complete 1+2+4+8

static int fault;

static void descend(int depth) {
    if (depth == 0) return;
#pragma omp parallel num_threads(2)
    {
#pragma omp task
        descend(depth - 1);
#pragma omp taskwait
    }
}

int main(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        descend(3);
    }
    return fault;
}
