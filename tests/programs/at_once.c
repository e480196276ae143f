// SPDX-License-Identifier: Apache-2.0
// One thread creates tasks that it runs at once, as many of each kind as the argument says: because
// its queue is full, because an if clause is false, within such tasks, and the same of taskloops.
#include <stdlib.h>

int main(int argc, char** argv) {
    const int tasks = argc > 1 ? atoi(argv[1]) : 1000;
    int done[3] = {0, 0, 0};
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < tasks; ++i) {
#pragma omp task shared(done)
            ++done[0];
        }
#pragma omp taskwait
        for (int i = 0; i < tasks; ++i) {
#pragma omp task shared(done) if (0)
            ++done[1];
        }
        for (int i = 0; i < tasks; ++i) {
#pragma omp task shared(done) if (0)
            {
#pragma omp task shared(done) if (0)
                ++done[1];
                ++done[1];
            }
        }
#pragma omp taskloop grainsize(1) shared(done)
        for (int i = 0; i < tasks; ++i)
            done[2] += 1 + i % 2;
#pragma omp taskloop grainsize(1) shared(done) if (0)
        for (int i = 0; i < tasks; ++i)
            done[2] += 1 + i % 2;
    }
    return done[0] == tasks && done[1] == 3 * tasks && done[2] == tasks / 2 * 6 ? 0 : 1;
}
