// SPDX-License-Identifier: Apache-2.0
// What programs do with what a library that counts in them may rely on: their descriptors, their
// limits. Each case ends with a status of its own.
//
//     counted_hosts descriptors|limit
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { TASKS = 1000 };
static double cells[TASKS];

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

int main(int argc, char** argv) {
    static const struct {
        const char* name;
        int (*run)(void);
    } all[] = {{"descriptors", descriptors}, {"limit", limit}};
    for (unsigned i = 0; i < sizeof all / sizeof *all; ++i)
        if (argc > 1 && strcmp(argv[1], all[i].name) == 0) return all[i].run();
    return 1;
}
