// SPDX-License-Identifier: Apache-2.0
// Tasks create tasks, which are joined by taskwait and taskgroup. A task for which no task waits is
// joined by the region.
//
// graph:
//   initial
//     implicit region
//       task outer *2
//         task inner *3
//       task grouped
//         task nested
//       task loose
//     implicit region *T-1

int done[16];

static void leaf(int at) { done[at] = 1; }

int main(void) {
#pragma omp parallel // [region]
#pragma omp single
    {
        for (int i = 0; i < 2; ++i) {
#pragma omp task firstprivate(i) // [outer]
            {
                for (int j = 0; j < 3; ++j) {
#pragma omp task firstprivate(i, j) // [inner]
                    leaf(3 * i + j);
                }
#pragma omp taskwait
            }
        }
#pragma omp taskwait
#pragma omp taskgroup
        {
#pragma omp task // [grouped]
            {
#pragma omp task // [nested]
                leaf(6);
            }
        }
#pragma omp task // [loose]
        leaf(7);
    }
    for (int i = 0; i < 8; ++i)
        if (!done[i]) return 1;
    return 0;
}
