// SPDX-License-Identifier: Apache-2.0
// Two threads. Thread 1 sleeps and thread 0 wakes it, once for a task and once at a barrier. The
// program first prints the kernel's ids of both threads, then these moments in ns of
// CLOCK_MONOTONIC.
#define _GNU_SOURCE
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void wait_ms(long ms) {
    const struct timespec time = {0, ms * 1000000};
    nanosleep(&time, NULL);
}

static atomic_int done;
static long ids[2];
static long long times[4];

int main(void) {
#pragma omp parallel num_threads(2)
    {
        ids[omp_get_thread_num()] = syscall(SYS_gettid);
#pragma omp barrier
        if (omp_get_thread_num() == 0) {
            wait_ms(100); // by then the other sleeps at the end of the region
            times[0] = now();
#pragma omp task
            atomic_store(&done, 1);
            times[1] = now();
            while (!atomic_load(&done))
                wait_ms(1); // the other runs it
        }
#pragma omp barrier
        if (omp_get_thread_num() == 0) {
            wait_ms(100);
            times[2] = now();
        }
#pragma omp barrier
        if (omp_get_thread_num() == 0) times[3] = now();
    }
    printf("%ld %ld\n", ids[0], ids[1]);
    for (int i = 0; i < 4; ++i)
        printf("%lld\n", times[i]);
    return 0;
}
