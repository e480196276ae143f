// SPDX-License-Identifier: Apache-2.0
//
// Runs the work of work.h repeatedly. In each run, failing_memory.so makes a different one of the
// runtime's allocations fail.
#ifndef EACH_ALLOCATION_H
#define EACH_ALLOCATION_H

#include "again.h"
#include "work.h"

static long clean_run(char* preload) {
    struct Again again = run_again("work", 20, preload, "FAULTS_COUNT=count", NULL);
    judge_again(&again, "with all the memory it wants");
    CHECK_EQ(again.lines, 0);
    FILE* file = fopen("count", "r");
    long count = 0;
    if (!file || fscanf(file, "%ld", &count) != 1) WRONG("the shim did not count");
    fclose(file);
    return count;
}

// The main function: `fault` is the variable that tells failing_memory.so at which allocation to
// fail, and whether from there on.
static inline int fail_at_each_allocation(int argc, const char* fault) {
    if (argc > 1) {
        work();
        return 0;
    }
    char preload[4096], setting[64];
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s/failing_memory.so", getenv("SITUATIONS_DIR"));
    const long count = clean_run(preload);
    CHECK(count > 20);
    for (long i = 1; i <= count; ++i) {
        snprintf(setting, sizeof setting, "%s=%ld", fault, i);
        struct Again again = run_again("work", 10, preload, setting, NULL);
        judge_again(&again, "when allocation %ld of %ld fails", i, count);
    }
    return 0;
}

#endif
