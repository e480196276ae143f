// SPDX-License-Identifier: Apache-2.0
// A taskloop makes as many tasks as the program asks for, and waits for them.
//
// graph:
//   initial
//     implicit region
//       task loop *5
//       task nogroup *3
//     implicit region *T-1

int done[100];

int main(void) {
#pragma omp parallel // [region]
#pragma omp single
    {
#pragma omp taskloop num_tasks(5) // [loop]
        for (int i = 0; i < 50; ++i)
            done[i] = 1;
#pragma omp taskloop grainsize(10) nogroup // [nogroup]
        for (int i = 50; i < 80; ++i)
            done[i] = 1;
    }
    for (int i = 0; i < 80; ++i)
        if (!done[i]) return 1;
    return 0;
}
