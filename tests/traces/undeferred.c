// SPDX-License-Identifier: Apache-2.0
// Tasks run on top of their creator: a task with if(0), and all descendants of a final task.
//
// graph:
//   initial
//     implicit region
//       task undeferred inline *2
//       task final
//         task included inline *3
//     implicit region *T-1

int done[5];

int main(void) {
#pragma omp parallel // [region]
#pragma omp single
    {
        for (int i = 0; i < 2; ++i) {
#pragma omp task if (0) firstprivate(i) // [undeferred]
            done[i] = 1;
        }
#pragma omp task final(1) // [final]
        for (int i = 2; i < 5; ++i) {
#pragma omp task firstprivate(i) // [included]
            done[i] = 1;
        }
    }
    for (int i = 0; i < 5; ++i)
        if (!done[i]) return 1;
    return 0;
}
