// SPDX-License-Identifier: Apache-2.0
//
// Measures how much work a region needs before two processes are faster than one. Each iteration of
// a region works for a given time on private data and on one shared number. Prints the time of a
// region.
//
//     crossover WORK_US REGIONS KIB     work of a region on one thread, in us; memory that the region changes
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static double spin(long turns, double x) {
    for (long i = 0; i < turns; i++)
        x = x * 0.999999 + 1e-9;
    return x;
}

static long turns_per_us(void) {
    long turns = 1 << 16;
    volatile double sink = 0;
    const double start = omp_get_wtime();
    int rounds = 0;
    do {
        sink += spin(turns, 1.0);
        rounds++;
    } while (omp_get_wtime() - start < 0.05);
    return (long)((double)turns * rounds / ((omp_get_wtime() - start) * 1e6));
}

int main(int argc, char** argv) {
    if (argc != 4) return fprintf(stderr, "usage: crossover WORK_US REGIONS KIB\n"), 2;
    const long work_us = atol(argv[1]), regions = atol(argv[2]), doubles = atol(argv[3]) * 128;
    enum { PARTS = 8 };
    double* data = malloc((size_t)(doubles + PARTS) * sizeof *data);
    for (long i = 0; i < doubles + PARTS; i++)
        data[i] = 1;
    const long turns = work_us * turns_per_us() / PARTS;
#pragma omp parallel
    { // starts the processes
    }
    const double start = omp_get_wtime();
    for (long region = 0; region < regions; region++) {
#pragma omp parallel for schedule(static)
        for (int part = 0; part < PARTS; part++) {
            const double value = spin(turns, data[doubles + part]);
            data[doubles + part] = value;
            for (long i = doubles / PARTS * part; i < doubles / PARTS * (part + 1); i++)
                data[i] += value;
        }
    }
    printf("%.3f\n", (omp_get_wtime() - start) * 1e6 / (double)regions);
    return data[0] == 0;
}
