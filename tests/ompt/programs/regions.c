// SPDX-License-Identifier: Apache-2.0
// Runs regions one after the other, nested regions, a region that an if clause makes serial, and a
// region with fewer threads than the default.
//
// env: OMP_MAX_ACTIVE_LEVELS=2
// count: parallel_begin.team 5+T*2
// count: parallel_end.team 5+T*2
// count: implicit.begin 3*T+1+1+T*2+T*1
// count: implicit.end 3*T+1+1+T*2+T*1
// count: sync.barrier_implicit_parallel.begin 3*T+1+1+T*2+T*1
// count: wait.barrier_implicit_parallel.end 3*T+1+1+T*2+T*1
// count: initial.* 2
// count: thread_begin.initial 1

int sum;

static void add(void) {
#pragma omp atomic
    ++sum;
}

int main(int count, char** words) {
    (void)words;
    for (int i = 0; i < 2; ++i) {
#pragma omp parallel
        add();
    }
#pragma omp parallel if (count > 1)
    add();
#pragma omp parallel num_threads(1)
    add();
#pragma omp parallel
    {
#pragma omp parallel num_threads(2)
        {
            add();
        }
#pragma omp parallel if (count > 1)
        add();
    }
    return sum < 7;
}
