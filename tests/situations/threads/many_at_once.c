// SPDX-License-Identifier: Apache-2.0
// Situation: 24 threads of the program run regions at the same time, in 20 rounds of new threads; memory does not grow
// Catches: a runtime that serves only one thread outside regions at a time, or that keeps memory of each thread that has ended.
// limit: 60

#include <pthread.h>

#include "../process_state.h"
#include "../use_openmp.h"

enum { kRounds = 20, kThreads = 24, kWarmRounds = 5, kAllowedGrowth_kib = 2048 };

static void* use(void* argument) {
    const int number = *(int*)argument;
    use_openmp(2 + number % 3);
    if (number % 4 == 0) use_nested_openmp(2, 2);
    return NULL;
}

static void one_round(void) {
    pthread_t threads[kThreads];
    int numbers[kThreads];
    for (int i = 0; i < kThreads; ++i) {
        numbers[i] = i;
        if (pthread_create(&threads[i], NULL, use, &numbers[i]) != 0) WRONG("pthread_create failed");
    }
    for (int i = 0; i < kThreads; ++i)
        pthread_join(threads[i], NULL);
}

int main(void) {
    long before = 0;
    for (int round = 0; round < kRounds; ++round) {
        if (round == kWarmRounds) before = memory_kib("VmRSS");
        one_round();
    }
    const long growth = memory_kib("VmRSS") - before;
    if (growth > kAllowedGrowth_kib) WRONG("%ld KiB more after %d rounds", growth, kRounds - kWarmRounds);
    return 0;
}
