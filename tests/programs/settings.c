// SPDX-License-Identifier: Apache-2.0
// Prints the settings that a program of any compiler can ask for: processors, the threads of a
// region, places, the policy of binding, the processors on which the region ran, the thread limit,
// the size of a thread's stack in KiB. First calls kmp_set_defaults with the first argument.
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

void kmp_set_defaults(const char*);

static size_t stack_KiB(void) {
    pthread_attr_t attributes;
    void* low;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    return size / 1024;
}

int main(int count, char** words) {
    int threads = 0;
    size_t stack = 0;
    cpu_set_t used;
    CPU_ZERO(&used);
    if (count > 1) kmp_set_defaults(words[1]);
    const int limit = omp_get_thread_limit();
#pragma omp parallel
    {
        cpu_set_t mine;
        sched_getaffinity(0, sizeof mine, &mine);
#pragma omp critical
        {
            CPU_OR(&used, &used, &mine);
            ++threads;
            if (omp_get_thread_num() != 0) stack = stack_KiB();
        }
    }
    printf("processors %d threads %d places %d bind %d", omp_get_num_procs(), threads, omp_get_num_places(),
           (int)omp_get_proc_bind());
    printf(" used %d limit %d stack %zu\n", CPU_COUNT(&used), limit, stack);
    return 0;
}
