// SPDX-License-Identifier: Apache-2.0
// Creates nested, undeferred, final, untied and mergeable tasks, and tasks with priorities, and
// joins them by each kind of wait.
//
// count: task_create.explicit 40+1+1+4+1+8+1+6
// count: schedule.complete 40+1+1+4+1+8+1+6
// count: sync.taskwait.begin 3
// count: sync.taskwait.end 3
// count: wait.taskwait.begin 3
// count: sync.taskgroup.begin 1
// count: wait.taskgroup.begin 1
// count: sync.taskgroup.end 1
// count: work.single_executor.begin 1

int done;

static void leaf(void) {
#pragma omp atomic
    ++done;
}

int main(void) {
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 40; ++i) {
#pragma omp task
            leaf();
        }
#pragma omp taskwait
#pragma omp task if (0)
        leaf();
#pragma omp task final(1)
        {
            leaf();
            for (int i = 0; i < 4; ++i) {
#pragma omp task
                leaf();
            }
        }
#pragma omp taskgroup
        {
#pragma omp task untied
            {
                for (int i = 0; i < 8; ++i) {
#pragma omp task priority(i)
                    leaf();
                }
#pragma omp taskyield
#pragma omp taskwait
            }
        }
#pragma omp task mergeable if (0)
        leaf();
        for (int i = 0; i < 6; ++i) {
#pragma omp task mergeable
            leaf();
        }
#pragma omp taskwait
    }
    return done != 40 + 1 + 5 + 8 + 1 + 6;
}
