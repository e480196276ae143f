// SPDX-License-Identifier: Apache-2.0
//
// Situation: a control group allows the process 5 threads (pids.max), and the program requests 16
// Catches: a runtime that ends the program, or waits for the threads that it did not get
// env: OMP_NUM_THREADS=16
#include "machine/groups.h"

#include <omp.h>

int main(int argc, char** argv) {
    if (argc > 1) {
        for (int round = 0; round < 3; ++round) {
            int members = 0;
#pragma omp parallel reduction(+ : members)
            {
#pragma omp barrier
                members += 1;
            }
            CHECK_EQ(members, 5);
        }
        return 0;
    }
    groups_make("pids");
    if (!groups_write(groups_outer, "pids.max", "5")) {
        groups_remove();
        SKIP("pids.max cannot be set here");
    }
    again_prepare = groups_enter;
    struct Again again = run_again("work", 20, NULL);
    groups_remove();
    judge_again(&again, "with pids.max=5");
    if (WEXITSTATUS(again.status) != 0) WRONG("ends with pids.max=5: %s", again.errors);
    CHECK_EQ(again.lines, 1);
    return 0;
}
