// SPDX-License-Identifier: Apache-2.0
// Runs grains whose accesses to memory are known: N tasks that each read and write W words of their
// own, or chunks, nested tasks, threads or forked children that do the same.
//
//     accesses tasks|chunks|nested|threads|fork|serial
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 64, W = 4096 };
static long words[N][W] __attribute__((aligned(64)));

// 3 * W reads, and W writes, of W / 8 lines.
__attribute__((noinline)) static void work(long* of) {
    for (int i = 0; i < W; ++i)
        of[i] += __atomic_load_n(&of[W - 1 - i], __ATOMIC_RELAXED) + __atomic_load_n(&of[i], __ATOMIC_RELAXED);
}

static void tasks(void) {
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < N; ++i)
#pragma omp task
        work(words[i]);
}

static void chunks(void) {
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < N; ++i)
        work(words[i]);
}

// The outer task works before and behind the inner one, which may run in between.
static void nested(void) {
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < N; i += 2)
#pragma omp task
    {
        work(words[i]);
#pragma omp task
        work(words[i + 1]);
#pragma omp taskwait
        work(words[i]);
    }
}

static void* thread(void* argument) {
    work(argument);
    return NULL;
}

// Of the program's own, beside a region.
static void threads(void) {
    pthread_t all[4];
    for (int i = 0; i < 4; ++i)
        pthread_create(&all[i], NULL, thread, words[i]);
    for (int i = 0; i < 4; ++i)
        pthread_join(all[i], NULL);
    tasks();
}

static void in_child(void) {
    tasks();
    const pid_t child = fork();
    if (child == 0) {
        work(words[0]);
        exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    if (status != 0) abort();
}

static void serial(void) { work(words[0]); }

int main(int argc, char** argv) {
    static const struct {
        const char* name;
        void (*run)(void);
    } all[] = {{"tasks", tasks}, {"chunks", chunks}, {"nested", nested}, {"threads", threads}, {"fork", in_child}, {"serial", serial}};
    for (unsigned i = 0; i < sizeof all / sizeof *all; ++i)
        if (argc > 1 && strcmp(argv[1], all[i].name) == 0) all[i].run();
    long sum = 0;
    for (int i = 0; i < N; ++i)
        sum += words[i][i];
    printf("%ld\n", sum);
    return 0;
}
