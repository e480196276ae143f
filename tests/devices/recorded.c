// SPDX-License-Identifier: Apache-2.0
//
// Constructs of every kind on two devices, with known bytes, for the recording of them. Prints how
// long the region that sleeps takes by the host's clock, in nanoseconds.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { kCells = 1000, kSleep_us = 50000, kRegions = 3 };

static double cells[kCells];

static double now_ns(void) { return omp_get_wtime() * 1e9; }

int main(void) {
    double* const data = malloc(sizeof cells);
    for (int i = 0; i < kCells; ++i)
        data[i] = i;
#pragma omp target enter data map(to : data[ : kCells]) device(0)
    for (int k = 0; k < kRegions; ++k) {
#pragma omp target map(tofrom : data[ : kCells]) device(0)
        for (int i = 0; i < kCells; ++i)
            data[i] += 1;
    }
#pragma omp target update from(data[ : 10]) device(0)
#pragma omp target exit data map(from : data[ : kCells]) device(0)

#pragma omp target data map(from : data[ : 100]) device(1)
    {
#pragma omp target map(alloc : data[ : 100]) device(1)
        for (int i = 0; i < 100; ++i)
            data[i] = i + kRegions;
    }

#pragma omp target nowait map(tofrom : data[ : 500]) device(1) depend(inout : data[0])
    for (int i = 0; i < 500; ++i)
        data[i] += 1;
#pragma omp taskwait

    const double began = now_ns();
#pragma omp target device(0)
    usleep(kSleep_us);
    const double took = now_ns() - began;

    void* const there = omp_target_alloc(sizeof cells, 0);
    omp_target_memcpy(there, cells, sizeof cells, 0, 0, 0, omp_get_initial_device());
    omp_target_memcpy(cells, there, 8, 0, 0, omp_get_initial_device(), 0);
    omp_target_free(there, 0);

    int right = 1;
    for (int i = 0; i < kCells; ++i)
        right = right && data[i] == i + kRegions + (i < 500);
    printf("%s %.0f\n", right ? "ok" : "wrong", took);
    return !right;
}
