// SPDX-License-Identifier: Apache-2.0
// Tasks and chunks that touch a known number of fresh pages, or take a known CPU time.
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    kPage = 4096,
    kTasks = 8,
    kChunks = 6,
    kMost = 64 // pages of a task or chunk
};

static char *fresh(int parts) {
    size_t bytes = (size_t)parts * kMost * kPage;
    char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || madvise(pages, bytes, MADV_NOHUGEPAGE) != 0) abort();
    return pages;
}

static void touch(volatile char *pages, int from, int to) {
    for (int i = from; i < to; ++i)
        pages[(size_t)i * kPage] = 1;
}

// Task i touches 3 (i + 1) pages.
static void tasks(int with_yield) {
    char *pages = fresh(kTasks);
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task untied firstprivate(i)
        {
            char *own = pages + (size_t)i * kMost * kPage;
            touch(own, 0, i + 1);
            if (with_yield) {
#pragma omp taskyield
            }
            touch(own, i + 1, 2 * (i + 1));
            if (with_yield) {
#pragma omp task
                touch(own, kMost - 1, kMost);
#pragma omp taskwait
            }
            touch(own, 2 * (i + 1), 3 * (i + 1));
        }
    }
}

// Chunk i touches 5 (i + 1) pages; with_lock: in two steps, with a lock between them.
static void chunks(int with_lock) {
    char *pages = fresh(kChunks);
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < kChunks; ++i) {
        char *own = pages + (size_t)i * kMost * kPage;
        touch(own, 0, 2 * (i + 1));
        if (with_lock) {
#pragma omp critical
            touch(own, 2 * (i + 1), 3 * (i + 1));
        }
        touch(own, with_lock ? 3 * (i + 1) : 2 * (i + 1), 5 * (i + 1));
    }
}

// Two threads, each of which touches 10 pages, and 20 after a barrier.
static void threads(void) {
    char *pages = fresh(2);
#pragma omp parallel num_threads(2)
    {
        char *own = pages + (size_t)omp_get_thread_num() * kMost * kPage;
        touch(own, 0, 10);
#pragma omp barrier
        touch(own, 10, 30);
    }
}

static long long cpu_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

// Prints how long each task took.
static void clocks(void) {
    long long took[kTasks];
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task firstprivate(i) shared(took)
        {
            const long long began = cpu_ns();
            while (cpu_ns() - began < (i + 1) * 2000000ll)
                ;
            took[i] = cpu_ns() - began;
        }
    }
    for (int i = 0; i < kTasks; ++i)
        printf("%lld\n", took[i]);
}

static void run(const char *what) {
    if (strcmp(what, "tasks") == 0) tasks(0);
    if (strcmp(what, "yields") == 0) tasks(1);
    if (strcmp(what, "chunks") == 0) chunks(0);
    if (strcmp(what, "locks") == 0) chunks(1);
    if (strcmp(what, "threads") == 0) threads();
    if (strcmp(what, "clocks") == 0) clocks();
}

// The first region touches pages of the stacks and of the runtime.
int main(int argc, char **argv) {
    if (argc < 2) return 2;
    tasks(1);
    if (argc > 2 && strcmp(argv[2], "forked") == 0) {
        const pid_t child = fork();
        if (child > 0) {
            int status = 1;
            waitpid(child, &status, 0);
            return status != 0;
        }
    }
    run(argv[1]);
    return 0;
}
