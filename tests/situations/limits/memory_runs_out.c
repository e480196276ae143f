// SPDX-License-Identifier: Apache-2.0
//
// Situation: from each allocation of the runtime on, in turn, there is no memory
// Catches: a runtime that follows the null pointer, waits for the member that it could not make, or ends without a word
// library: failing_memory.so failing_memory.c
// env: OMP_NUM_THREADS=4
// limit: 120
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

int main(int argc, char** argv) {
    if (argc > 1) {
        work();
        return 0;
    }
    char preload[4096], fault[64];
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s/failing_memory.so", getenv("SITUATIONS_DIR"));
    const long count = clean_run(preload);
    CHECK(count > 20);
    for (long i = 1; i <= count; ++i) {
        snprintf(fault, sizeof fault, "FAULTS_FROM=%ld", i);
        struct Again again = run_again("work", 10, preload, fault, NULL);
        judge_again(&again, "when allocation %ld of %ld fails", i, count);
    }
    return 0;
}
