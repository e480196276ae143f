// SPDX-License-Identifier: Apache-2.0
// Work that the recorded programs do between the operations that they test.
#pragma once

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    kChunkfulOfTasks = 68000
}; // more than a chunk of a recording holds, where one thread creates and runs them

static int done;

// Tasks of the calling thread, run at once.
__attribute__((unused)) static void serial_tasks(int tasks) {
    for (int i = 0; i < tasks; ++i) {
#pragma omp task
        __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
    }
}

__attribute__((unused)) static void region(int threads, int tasks) {
#pragma omp parallel num_threads(threads)
#pragma omp single
    for (int i = 0; i < tasks; ++i) {
#pragma omp task
        __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
    }
}

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            perror(#what);                                                                         \
            exit(9);                                                                               \
        }                                                                                          \
    } while (0)

struct Mode {
    const char* name;
    void (*run)(void);
};

__attribute__((unused)) static int run_mode(const struct Mode* modes, const char* name) {
    for (; modes->name != NULL; ++modes)
        if (strcmp(modes->name, name) == 0) {
            modes->run();
            printf("%d tasks done\n", done);
            return 0;
        }
    fprintf(stderr, "there is no mode %s\n", name);
    return 8;
}
