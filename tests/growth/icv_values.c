// SPDX-License-Identifier: Apache-2.0
// Makes N different settings, where N is the argument, and runs a region after each of them.
#include <omp.h>
#include <stdlib.h>

int main(int count, char** words) {
    const int values = count > 1 ? atoi(words[1]) : 1;
    int wrong = 0;
    for (int value = 1; value <= values; ++value) {
        omp_set_schedule(omp_sched_dynamic, value);
#pragma omp parallel num_threads(1)
        {
            omp_sched_t kind;
            int chunk;
            omp_get_schedule(&kind, &chunk);
            wrong |= chunk != value;
        }
    }
    return wrong;
}
