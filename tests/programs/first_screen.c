// SPDX-License-Identifier: Apache-2.0
// Records much, of all kinds that the recorder sums: tasks that wait for their children, tasks that
// run on top of their creators, dependences, a taskloop, loops with chunks, ordered loops, critical
// regions, nested regions, and serial parts. The argument is the number of rounds.
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 2000 };

static long cells[CELLS];

static void spin(int turns) {
    for (int i = 0; i < turns; ++i)
        __asm__ volatile("" ::"r"(i));
}

static long fibonacci(int n) {
    if (n < 2) {
        spin(50);
        return n;
    }
    long x, y;
#pragma omp task shared(x) if (n % 5 != 0)
    x = fibonacci(n - 1);
#pragma omp task shared(y)
    y = fibonacci(n - 2);
#pragma omp taskwait
    return x + y;
}

static void make_tasks(void) {
    for (int i = 0; i < 500; ++i) {
#pragma omp task depend(inout : cells[i % 7]) priority(i % 3)
        spin(200);
    }
#pragma omp taskgroup
    {
#pragma omp taskloop grainsize(10)
        for (int i = 0; i < 500; ++i)
            spin(100);
    }
#pragma omp task if (0) depend(in : cells[3])
    spin(5000);
}

static void run_loops(void) {
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < CELLS; ++i) {
        spin(300);
        cells[i] += i;
    }
#pragma omp for schedule(guided) ordered
    for (int i = 0; i < 200; ++i) {
        spin(500);
#pragma omp ordered
        cells[0] += i;
    }
#pragma omp critical
    spin(1000);
}

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 1;
    long sum = 0;
    spin(5000000);
    for (int round = 0; round < rounds; ++round) {
#pragma omp parallel
        {
#pragma omp single
            sum += fibonacci(18);
            run_loops();
#pragma omp single
            make_tasks();
#pragma omp parallel num_threads(2)
            spin(2000);
        }
        spin(500000);
    }
    printf("%ld\n", sum + cells[CELLS - 1]);
    return 0;
}
