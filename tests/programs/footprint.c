// SPDX-License-Identifier: Apache-2.0
// Runs tasks whose footprint the program states, or the runtime estimates from their dependences,
// under every scheduler. Each task runs once and in its order, for every kind of memory, and
// wherever the footprint is stated. Compiles as C and as C++.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include <teff.h>

enum { THREADS = 4, BLOCKS = 24, BLOCK = 16384, ROUNDS = 200 };

static int fail(const char *what) {
    fprintf(stderr, "wrong: %s\n", what);
    exit(1);
}

static char *block[BLOCKS];
static int step[BLOCKS], runs;

// Told before each kind of construct, also where nothing is deferred.
static void told(char *array) {
    int plain = 0, undeferred = 0, inner = 0;
#pragma omp parallel num_threads(THREADS)
    {
        teff_next_task_footprint(array + omp_get_thread_num() * BLOCK, BLOCK);
#pragma omp single
        for (int i = 0; i < ROUNDS; ++i) {
            teff_next_task_footprint(array + i % BLOCKS * BLOCK, BLOCK);
            teff_next_task_footprint(array, 1);
#pragma omp task shared(plain, inner)
            {
#pragma omp atomic
                ++plain;
                teff_next_task_footprint(array, 2 * BLOCK);
#pragma omp task shared(inner)
                {
#pragma omp atomic
                    ++inner;
                }
#pragma omp taskwait
            }
            teff_next_task_footprint(array, BLOCK);
#pragma omp task if (0) shared(undeferred)
            ++undeferred;
            teff_next_task_footprint(NULL, BLOCK);
            teff_next_task_footprint(&plain, sizeof plain);
        }
    }
    if (plain != ROUNDS || undeferred != ROUNDS || inner != ROUNDS) fail("a task that was told of did not run once");
}

static void chains(void) {
    runs = 0;
    for (int i = 0; i < BLOCKS; ++i)
        step[i] = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    for (int round = 0; round < ROUNDS / 4; ++round)
        for (int i = 0; i < BLOCKS; ++i) {
#pragma omp task depend(in : block[(i + BLOCKS - 1) % BLOCKS][0]) depend(inout : block[i][0], block[i][BLOCK / 2]) \
    priority(i % 3)
            {
                if (step[i]++ != round) fail("a task came before the one that it depends on");
#pragma omp atomic
                ++runs;
            }
        }
    if (runs != ROUNDS / 4 * BLOCKS) fail("a task with dependences did not run once");
}

int main(void) {
    for (int distribution = OMP_MALLOC_STANDARD; distribution <= OMP_MALLOC_NEAREST; ++distribution) {
        for (int i = 0; i < BLOCKS; ++i)
            block[i] = (char *)omp_malloc_specific(BLOCK, (omp_malloc_distribution_t)distribution);
        char *array = (char *)omp_malloc_specific(BLOCKS * BLOCK, (omp_malloc_distribution_t)distribution);
        chains();
        told(array);
        omp_malloc_free(array);
        for (int i = 0; i < BLOCKS; ++i)
            omp_malloc_free(block[i]);
    }
    return 0;
}
