// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2 OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=on
//
// A task writes to a pipe that is read slowly, while tasks of higher priority become ready. Each
// call writes all of its data.
#include "check.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 1 << 20, WRITES = 4 };

static int ends[2], begun, served;

static void* read_slowly(void* unused) {
    static char buffer[16384];
    for (long left = (long)BYTES * WRITES; left > 0;) {
        const ssize_t count = read(ends[0], buffer, sizeof buffer);
        CHECK(count > 0);
        left -= count;
        usleep(100);
    }
    return unused;
}

int main(void) {
    static char buffer[BYTES];
    int written = 0;
    pthread_t reader;
    CHECK_EQ(pipe(ends), 0);
    CHECK_EQ(pthread_create(&reader, NULL, read_slowly, NULL), 0);
#pragma omp parallel
#pragma omp single
    {
#pragma omp task untied priority(1) shared(written)
        {
            __atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
            for (int i = 0; i < WRITES; i++) {
                CHECK_EQ(write(ends[1], buffer, BYTES), BYTES);
                __atomic_fetch_add(&written, 1, __ATOMIC_RELEASE);
            }
        }
        check_wait_for(&begun, 1);
        int asked = 0;
        while (__atomic_load_n(&written, __ATOMIC_ACQUIRE) < WRITES) {
#pragma omp task untied priority(5)
            __atomic_fetch_add(&served, 1, __ATOMIC_RELAXED);
            asked++;
            usleep(100);
        }
#pragma omp taskwait
        CHECK_EQ(served, asked);
    }
    CHECK_EQ(pthread_join(reader, NULL), 0);
    return 0;
}
