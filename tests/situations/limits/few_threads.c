// SPDX-License-Identifier: Apache-2.0
//
// Situation: the 1st, 2nd, ... 12th thread cannot be created
// Catches: a runtime that ends the program, counts the threads that it did not get into its barriers, or warns for each of them
// library: failing_threads.so failing_threads.c
// env: OMP_NUM_THREADS=8
// limit: 60
#include "again.h"
#include "work.h"

int main(int argc, char** argv) {
    if (argc > 1) {
        for (int round = 0; round < 3; ++round)
            work();
        return 0;
    }
    char preload[4096], fault[64];
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s/failing_threads.so", getenv("SITUATIONS_DIR"));
    for (int created = 0; created < 12; ++created) {
        snprintf(fault, sizeof fault, "FAULTS_THREADS=%d", created);
        struct Again again = run_again("work", 10, preload, fault, NULL);
        judge_again(&again, "when only %d threads can be created", created);
        if (WEXITSTATUS(again.status) != 0) WRONG("ends when only %d threads can be created: %s", created, again.errors);
        if (created < 7) CHECK_EQ(again.lines, 1);
    }
    return 0;
}
