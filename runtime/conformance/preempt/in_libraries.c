// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2 OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=on
// flags: -lm
// stock: fails, a running task keeps its thread
//
// Until a task of high priority has run, a task of low priority spends nearly all its time in
// functions of the C library and the mathematical library, or of the runtime. Both tasks use the
// same functions.
#include <math.h>
#include <time.h>

#include "check.h"

enum { ROUNDS = 60, KINDS = 6 };

static int begun, served;

static void work(int kind) {
    char text[64];
    char* memory;
    struct timespec now;
    switch (kind) {
    case 0:
        CHECK_EQ(snprintf(text, sizeof text, "%d %.2f", 12345, 0.5), 10);
        CHECK(strcmp(text, "12345 0.50") == 0);
        break;
    case 1:
        memory = malloc(100);
        CHECK(memory != NULL);
        memset(memory, 3, 100);
        CHECK_EQ(memory[99], 3);
        free(memory);
        break;
    case 2:
        CHECK(fabs(pow(sin(0.7), 2) + pow(cos(0.7), 2) - 1) < 1e-12);
        break;
    case 3:
        CHECK(omp_get_wtime() > 0);
        CHECK_EQ(omp_get_num_threads(), 2);
        break;
    case 4:
        CHECK_EQ(clock_gettime(CLOCK_MONOTONIC, &now), 0);
        break;
    default: {
        static char from[1 << 18], to[1 << 18];
        memcpy(to, from, sizeof to);
        CHECK_EQ(to[1000], from[1000]);
    }
    }
}

int main(void) {
#pragma omp parallel
#pragma omp single
    for (int round = 0; round < ROUNDS; ++round) {
        const int kind = round % KINDS;
#pragma omp task untied priority(1) firstprivate(round, kind)
        {
            __atomic_store_n(&begun, round + 1, __ATOMIC_RELEASE);
            while (__atomic_load_n(&served, __ATOMIC_ACQUIRE) < round + 1)
                work(kind);
        }
        check_wait_for(&begun, round + 1);
#pragma omp task untied priority(5) firstprivate(kind)
        {
            work(kind);
            __atomic_fetch_add(&served, 1, __ATOMIC_RELEASE);
        }
        check_wait_for(&served, round + 1);
    }
    CHECK_EQ(served, ROUNDS);
    return 0;
}
