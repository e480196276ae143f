// SPDX-License-Identifier: Apache-2.0
// Situation: a program without OpenMP loads a library that uses OpenMP, calls it, and unloads it while the pool sleeps, 100 times, in several threads
// Catches: a runtime that is unloaded with its last user, while its own threads still sleep in it.
// library: sum.so sum.c
// flags: -fno-openmp -ldl

#include <dlfcn.h>
#include <pthread.h>

#include "../situation.h"

enum { kRounds = 100 };

static void load_and_use(void) {
    char path[512];
    snprintf(path, sizeof path, "%s/sum.so", getenv("SITUATIONS_DIR"));
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) WRONG("%s", dlerror());
    long (*sum)(long, int) = (long (*)(long, int))dlsym(library, "sum_to");
    CHECK_EQ(sum(1000, 3), 500500);
    CHECK_EQ(sum(1000, 4), 500500);
    dlclose(library);
}

static void* load_in_thread(void* argument) {
    load_and_use();
    return argument;
}

int main(void) {
    for (int round = 0; round < kRounds; ++round) {
        pthread_t thread;
        load_and_use();
        if (round % 10 == 0) usleep(2000); // long enough for the pool to be asleep: its code must still be there when it wakes
        pthread_create(&thread, NULL, load_in_thread, NULL);
        pthread_join(thread, NULL);
    }
    return 0;
}
