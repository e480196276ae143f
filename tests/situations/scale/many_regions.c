// SPDX-License-Identifier: Apache-2.0
//
// Situation: 50,000 regions of 2, 4 and 1 threads, some with tasks, dependences, nested regions and reductions: memory stays flat
// Catches: a runtime that keeps memory of each region, or starts new threads again and again
// env: OMP_MAX_ACTIVE_LEVELS=2
// limit: 100
#include "situation.h"

#include <omp.h>

static long resident_KiB(void) {
    long size = 0, pages = 0;
    FILE* file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &size, &pages) != 2) SKIP("no /proc/self/statm");
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static long region(int number) {
    static const int kThreads[] = {2, 4, 2, 1};
    long sum = 0;
    char chain = 0;
#pragma omp parallel num_threads(kThreads[number % 4]) reduction(+ : sum)
    {
        if (number % 8 == 0) {
#pragma omp single
            for (int i = 0; i < 8; ++i) {
#pragma omp task depend(inout : chain)
                ++chain;
            }
        }
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 4; ++i)
            sum += 1;
        if (number % 64 == 0) {
            long inner = 0;
#pragma omp parallel num_threads(2) reduction(+ : inner)
            inner += 1;
            sum += inner - 2;
        }
    }
    return sum;
}

static void regions(int count) {
    for (int i = 0; i < count; ++i)
        CHECK_EQ(region(i), 4);
}

int main(void) {
    const char* asked = getenv("SITUATION_SECONDS"); // for `./run soak`
    const double least_s = asked ? atof(asked) : 0;
    regions(5000); // what is kept for reuse is there by now
    const long before_KiB = resident_KiB();
    const double began = omp_get_wtime();
    double elapsed_s = 0;
    int count = 0;
    while (count < 50000 || elapsed_s < least_s) {
        regions(1000);
        count += 1000;
        elapsed_s = omp_get_wtime() - began;
    }
    const long grown_KiB = resident_KiB() - before_KiB;
    if (grown_KiB > 1024) WRONG("%ld KiB more after %d regions", grown_KiB, count);
    printf("note: %ld KiB more after %d regions, %.0f a second\n", grown_KiB, count, count / elapsed_s);
    return 0;
}
