// SPDX-License-Identifier: Apache-2.0
// A taskwait with depend, which waits for some tasks only.
//
// count: task_create.explicit 6
// count: schedule.complete 6

int main(void) {
    int a = 0, b = 0, seen = 0, others = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : a) shared(a)
        a = 1;
#pragma omp task depend(out : b) shared(b)
        b = 2;
#pragma omp taskwait depend(in : a)
        seen = a;
#pragma omp task if (0) depend(in : b) shared(b, seen)
        seen += b;
        for (int i = 0; i < 3; ++i) {
#pragma omp task shared(others)
            {
#pragma omp atomic
                ++others;
            }
        }
    }
    return seen != 3 || others != 3;
}
