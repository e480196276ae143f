// SPDX-License-Identifier: Apache-2.0
// Runs 100 small tasks, and more for about N milliseconds, where N is the second argument. The
// first argument names a file of eight bytes with the number of tasks whose bodies have ended,
// which can be read even after the process is killed.

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned sink;

static void work(long* finished) {
    for (unsigned i = 0; i < 300; ++i)
        sink = i;
    __atomic_fetch_add(finished, 1, __ATOMIC_RELEASE);
}

static double now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    int file = open(argv[1], O_RDWR | O_CREAT, 0666);
    if (file < 0 || ftruncate(file, sizeof(long)) != 0) return 2;
    long* finished = mmap(NULL, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (finished == MAP_FAILED) return 2;
    const double ends = now_ms() + atoi(argv[2]);
    long created = 0;
#pragma omp parallel
#pragma omp single
    do {
        for (int i = 0; i < 100; ++i) {
#pragma omp task
            work(finished);
        }
        created += 100;
#pragma omp taskwait
    } while (now_ms() < ends);
    printf("%ld\n", created);
    return *finished == created ? 0 : 1;
}
