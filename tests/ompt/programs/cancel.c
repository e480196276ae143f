// SPDX-License-Identifier: Apache-2.0
// Cancels a construct of each kind. The thread that requests the cancellation is the same in every
// run; the other threads that detect it differ from run to run.
//
// env: OMP_CANCELLATION=true
// count: cancel.parallel+activated 1
// count: cancel.loop+activated 1
// count: cancel.sections+activated 1
// count: cancel.taskgroup+activated 1
// count: parallel_begin.team 4
// count: task_create.explicit 1+20

int main(void) {
    int first = 0, ran = 0;
#pragma omp parallel
    {
#pragma omp single
        first = 1;
        if (first) {
            int mine;
#pragma omp atomic capture
            mine = ran++;
#pragma omp cancel parallel if (mine == 0)
        }
    }
#pragma omp parallel
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 100; ++i) {
#pragma omp cancel for if (i == 50)
        }
    }
#pragma omp parallel
    {
#pragma omp sections
        {
            {
#pragma omp cancel sections
            }
#pragma omp section
            first = 2;
        }
    }
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp task
            {
                for (int i = 0; i < 20; ++i) {
#pragma omp task
                    {
#pragma omp atomic
                        ++ran;
                    }
                }
#pragma omp cancel taskgroup
            }
        }
    }
    return first == 0;
}
