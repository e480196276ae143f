// SPDX-License-Identifier: Apache-2.0
//
// Situation: OMP_STACKSIZE is larger than the machine's memory, too small for the program's thread-local variables, or not a size
// Catches: a runtime that ends the program, that continues with one thread and prints no message, or that warns for each thread
// env: OMP_NUM_THREADS=4
#include "again.h"

#include <omp.h>

static __thread char own[200000]; // the C library keeps it on the thread's stack

static void count_team(void) {
    int size = 0, wrong = 0;
#pragma omp parallel reduction(+ : wrong)
    {
        own[omp_get_thread_num()] = 1;
        for (int i = 0; i < (int)sizeof own; ++i)
            wrong += own[i] != (i == omp_get_thread_num());
        own[omp_get_thread_num()] = 0;
#pragma omp single
        size = omp_get_num_threads();
    }
    CHECK_EQ(wrong, 0);
    CHECK(size >= 1 && size <= 4);
}

int main(int argc, char** argv) {
    if (argc > 1) {
        for (int round = 0; round < 3; ++round)
            count_team();
        return 0;
    }
    static char* const kSizes[] = {"1000G", "16K", "64K", "1", "0", "-1", "999999999999999999999G", "4M4", "M", ""};
    for (unsigned i = 0; i < sizeof kSizes / sizeof *kSizes; ++i) {
        char setting[64];
        snprintf(setting, sizeof setting, "OMP_STACKSIZE=%s", kSizes[i]);
        struct Again again = run_again("work", 10, setting, NULL);
        judge_again(&again, "with %s", setting);
        if (WEXITSTATUS(again.status) != 0) WRONG("ends with %s: %s", setting, again.errors);
        CHECK_EQ(again.lines, 1);
    }
    return 0;
}
