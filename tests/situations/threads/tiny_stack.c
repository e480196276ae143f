// SPDX-License-Identifier: Apache-2.0
// Situation: a thread with the smallest stack that the system allows (16 KiB) runs regions, loops and tasks
// Catches: a runtime that keeps tables or message buffers on the stack of the calling thread.

#include <limits.h>
#include <pthread.h>

#include "../use_openmp.h"

static void* use(void* argument) {
    int members = 0, tasks = 0;
#pragma omp parallel num_threads(4)
    {
#pragma omp atomic
        ++members;
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 50; ++i)
#pragma omp task shared(tasks)
#pragma omp atomic
            ++tasks;
    }
    CHECK_EQ(members, 4);
    CHECK_EQ(tasks, 50);
    return argument;
}

int main(void) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN) != 0) SKIP("no stacks of PTHREAD_STACK_MIN");
    for (int round = 0; round < 10; ++round) {
        pthread_t thread;
        if (pthread_create(&thread, &attributes, use, NULL) != 0) WRONG("pthread_create failed");
        pthread_join(thread, NULL);
    }
    return 0;
}
