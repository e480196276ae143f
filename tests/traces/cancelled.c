// SPDX-License-Identifier: Apache-2.0
// The first task cancels the taskgroup. The tasks that depend on the first task are discarded:
// their bodies never run.
//
// env: OMP_CANCELLATION=true
// graph:
//   initial
//     implicit region
//       task first
//       task discarded cancelled *3
//     implicit region *T-1
// edge: first -> discarded *3

int x, ran;

int main(void) {
    int ready = 0;
#pragma omp parallel // [region]
#pragma omp single
#pragma omp taskgroup
    {
#pragma omp task depend(out : x) shared(ready) // [first]
        {
            int all;
            do
#pragma omp atomic read
                all = ready;
            while (!all);
#pragma omp cancel taskgroup
        }
        for (int i = 0; i < 3; ++i) {
#pragma omp task depend(in : x) // [discarded]
            ran = 1;
        }
#pragma omp atomic write
        ready = 1;
    }
    return ran;
}
