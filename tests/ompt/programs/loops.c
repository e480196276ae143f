// SPDX-License-Identifier: Apache-2.0
// Loops whose chunks the runtime hands out: each schedule, any bounds and steps, with and without a
// barrier. The compiler implements static schedules in the program, so the runtime hands out a
// static schedule only with schedule(runtime). The last loop has no barrier of its own, because the
// compiler uses the barrier at the end of the region.
//
// env: OMP_SCHEDULE=static,3
// count: work.loop_dynamic.begin 5*T
// count: work.loop_dynamic.end 5*T
// count: work.loop_guided.begin T
// count: work.loop*.begin 7*T
// count: work.loop*.end 7*T
// count: sync.barrier_implicit_workshare.begin|sync.barrier_explicit.begin 4*T

int hits[8][1000];

static void hit(int loop, long at) {
#pragma omp atomic
    ++hits[loop][at];
}

static int all(int loop, int from, int to, int step) {
    for (int i = from; i < to; i += step)
        if (hits[loop][i] != 1) return 0;
    return 1;
}

int main(void) {
#pragma omp parallel
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 37; ++i)
            hit(0, i);
#pragma omp for schedule(dynamic, 4) nowait
        for (int i = 5; i < 100; i += 3)
            hit(1, i);
#pragma omp for schedule(guided, 2)
        for (long i = 0; i < 1000; ++i)
            hit(2, i);
#pragma omp for schedule(runtime)
        for (int i = 0; i < 50; ++i)
            hit(3, i);
#pragma omp for schedule(dynamic, 7) nowait
        for (int i = 90; i > -10; i -= 2)
            hit(4, i + 10);
#pragma omp for schedule(dynamic, 3) collapse(2)
        for (int i = 0; i < 9; ++i)
            for (int j = 0; j < 11; ++j)
                hit(5, 11 * i + j);
#pragma omp for schedule(dynamic, 5)
        for (unsigned long long i = 3; i < 60; ++i)
            hit(6, (long)i);
    }
    return !(all(0, 0, 37, 1) && all(1, 5, 100, 3) && all(2, 0, 1000, 1) && all(3, 0, 50, 1) && all(4, 2, 101, 2) &&
             all(5, 0, 99, 1) && all(6, 3, 60, 1));
}
