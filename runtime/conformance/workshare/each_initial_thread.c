// SPDX-License-Identifier: Apache-2.0
//
// Runs work-sharing constructs outside of regions, in one thread after another, and in one target
// region after another. In each thread and target region, the first construct runs completely.
#include "check.h"
#include <pthread.h>

enum { kIterations = 10, kThreads = 4 };

static int sections_alone(void) {
    int ran = 0;
#pragma omp sections
    {
#pragma omp section
        ran += kIterations / 2;
#pragma omp section
        ran += kIterations / 2;
    }
    return ran;
}

static int monotonic_loop(void) {
    int ran = 0;
#pragma omp for schedule(monotonic : dynamic)
    for (int i = 0; i < kIterations; ++i)
        ++ran;
    return ran;
}

static int doacross(void) {
    int ran = 0;
#pragma omp for ordered(1) schedule(dynamic)
    for (int i = 0; i < kIterations; ++i) {
#pragma omp ordered depend(sink : i - 1)
        ++ran;
#pragma omp ordered depend(source)
    }
    return ran;
}

static int guided_loop(void) {
    int ran = 0;
#pragma omp for schedule(guided)
    for (int i = 0; i < kIterations; ++i)
        ++ran;
    return ran;
}

typedef int (*Construct)(void);
static const Construct kConstructs[] = {sections_alone, monotonic_loop, doacross, guided_loop};
enum { kKinds = sizeof kConstructs / sizeof *kConstructs };

static void* thread_main(void* construct) {
    CHECK_EQ((*(const Construct*)construct)(), kIterations);
    return construct;
}

int main(void) {
    for (int kind = 0; kind < kKinds; ++kind) {
        for (int i = 0; i < kThreads; ++i) {
            pthread_t thread;
            CHECK_EQ(pthread_create(&thread, NULL, thread_main, (void*)&kConstructs[kind]), 0);
            pthread_join(thread, NULL);
        }
        for (int i = 0; i < kThreads; ++i) {
            int ran = 0;
#pragma omp target map(tofrom : ran)
            ran = kConstructs[kind]();
            CHECK_EQ(ran, kIterations);
        }
    }
}
