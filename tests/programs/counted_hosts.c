// SPDX-License-Identifier: Apache-2.0
// Checks that a library that counts inside a program does not change the program's descriptors,
// limits and threads. Each case ends with a status of its own.
//
//     counted_hosts descriptors|limit|outlived
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { TASKS = 1000, CHUNKS = 4096, THREADS = 6 };
static double cells[CHUNKS];

static void tasks(void) {
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < TASKS; ++i)
#pragma omp task
        ++cells[i];
}

static void put(int file, const char* text) {
    if (write(file, text, strlen(text)) != (ssize_t)strlen(text)) abort();
}

// As daemons do; then its file has the lowest number.
static int descriptors(void) {
    tasks();
    close_range(3, ~0u, 0);
    const int own = open("own.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (own != 3) abort();
    put(own, "begin\n");
    tasks();
    put(own, "end\n");
    return close(own) == 0 ? 5 : 1;
}

static int limit(void) {
    tasks();
    const struct rlimit few = {100 << 10, RLIM_INFINITY};
    if (setrlimit(RLIMIT_FSIZE, &few) != 0) abort();
    tasks();
    return 6;
}

static int loops_ended;

static void* without_end(void* argument) {
    for (;;) {
#pragma omp parallel for num_threads(1) schedule(dynamic, 1)
        for (int i = 0; i < CHUNKS; ++i)
            cells[i] += 1;
        __atomic_fetch_add(&loops_ended, 1, __ATOMIC_RELAXED);
    }
    return argument;
}

static int outlived(void) {
    pthread_t thread;
    for (int i = 0; i < THREADS; ++i)
        pthread_create(&thread, NULL, without_end, NULL);
    while (__atomic_load_n(&loops_ended, __ATOMIC_RELAXED) < 2 * THREADS)
        usleep(1000);
    return 7;
}

int main(int argc, char** argv) {
    static const struct {
        const char* name;
        int (*run)(void);
    } all[] = {{"descriptors", descriptors}, {"limit", limit}, {"outlived", outlived}};
    for (unsigned i = 0; i < sizeof all / sizeof *all; ++i)
        if (argc > 1 && strcmp(argv[1], all[i].name) == 0) return all[i].run();
    return 1;
}
