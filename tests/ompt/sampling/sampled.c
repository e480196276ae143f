// SPDX-License-Identifier: Apache-2.0
//
// Works serially, in regions, loops, tasks and critical sections until the sampler has seen enough
// of each.

#include "sampler.h"

static volatile int sink;

__attribute__((noinline)) static void work(int amount) {
    for (int i = 0; i < amount; ++i)
        sink = sink + i;
}

static void tree(int depth) {
    if (depth == 0) {
        work(200);
        return;
    }
#pragma omp task
    tree(depth - 1);
#pragma omp task if (depth % 2)
    tree(depth - 1);
#pragma omp taskwait
}

static void region(void) {
#pragma omp parallel
    {
        work(500);
#pragma omp for schedule(dynamic, 3)
        for (int i = 0; i < 60; ++i)
            work(100);
#pragma omp single
        tree(5);
#pragma omp critical
        work(100);
#pragma omp parallel num_threads(2)
        {
            work(200);
#pragma omp barrier
            work(200);
        }
    }
}

int main(void) {
    region();
    while (!sampler_has_serial())
        work(10000);
    while (!sampler_has_parallel())
        region();
    return sampler_end();
}
