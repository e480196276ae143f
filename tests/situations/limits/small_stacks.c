// SPDX-License-Identifier: Apache-2.0
// Situation: all threads have the smallest stacks that the system allows, in nested regions with
// dynamic adjustment, with places, and with each thread's affinity displayed
// Catches: a runtime that reads files, makes lists of processors or formats lines on the stack of
// the calling thread.
// env: OMP_NUM_THREADS=2

#include <limits.h>
#include <omp.h>
#include <pthread.h>

#include "again.h"

static void nest(int levels) {
    int members = 0;
#pragma omp parallel num_threads(2) reduction(+ : members)
    {
        ++members;
#pragma omp task shared(levels)
        if (levels > 1) nest(levels - 1);
    }
    CHECK(members >= 1 && members <= 2);
}

static void* on_small_stack(void* argument) {
    omp_set_max_active_levels(3);
    omp_set_dynamic(1);
    for (int round = 0; round < 5; ++round)
        nest(3);
    return argument;
}

static int work(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    if (pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN) != 0) return kSkipped;
    // Its first use of OpenMP is also the process's.
    if (pthread_create(&thread, &attributes, on_small_stack, NULL) != 0) WRONG("pthread_create failed");
    pthread_join(thread, NULL);
    on_small_stack(NULL); // with the runtime's own threads
    return 0;
}

int main(int argc, char** argv) {
    (void)argv;
    if (argc > 1) return work();
    static char* const kSettings[] = {"OMP_DYNAMIC=true", "OMP_PROC_BIND=true", "OMP_PLACES=cores",
                                      "OMP_TOOL_LIBRARIES=/nowhere/libtool.so"};
    static char* const kSizes[] = {"OMP_STACKSIZE=16", "OMP_STACKSIZE=20", "OMP_STACKSIZE=28"};
    for (unsigned size = 0; size < sizeof kSizes / sizeof *kSizes; ++size)
        for (unsigned i = 0; i < sizeof kSettings / sizeof *kSettings; ++i) {
            struct Again again = run_again("work", 10, kSizes[size], kSettings[i], NULL);
            judge_again(&again, "with %s %s", kSizes[size], kSettings[i]);
            again = run_again("work", 10, kSizes[size], kSettings[i], "OMP_DISPLAY_AFFINITY=true",
                              "OMP_AFFINITY_FORMAT=%500A %.300H %L %n %t", NULL);
            if (again.status != 0 || again.hung) WRONG("status %x with %s displayed", again.status, kSettings[i]);
        }
    return 0;
}
