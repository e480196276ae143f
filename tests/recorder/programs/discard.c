// SPDX-License-Identifier: Apache-2.0
// The first of five tasks, on which the others depend, cancels their taskgroup. Prints how many
// tasks ran.
#include <stdio.h>

static int x, ran;

int main(void) {
    int ready = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup
    {
#pragma omp task depend(out : x) shared(ready)
        {
            int all;
            do
#pragma omp atomic read
                all = ready;
            while (!all);
#pragma omp atomic
            ++ran;
#pragma omp cancel taskgroup
        }
        for (int i = 0; i < 4; ++i) {
#pragma omp task depend(in : x)
#pragma omp atomic
            ++ran;
        }
#pragma omp atomic write
        ready = 1;
    }
    printf("%d\n", ran);
    return 0;
}
