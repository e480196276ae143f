// SPDX-License-Identifier: Apache-2.0
//
// Situation: the program requests 2,000,000,000 threads; 20 can be created, in 4 GiB of address space
// Catches: a runtime that allocates memory for the requested number of threads, or overflows a signed product of this number
// library: failing_threads.so failing_threads.c
// env: OMP_NUM_THREADS=2000000000 OMP_STACKSIZE=256K
#include "again.h"

#include <omp.h>

static int team_size(void) {
    int size = 0;
#pragma omp parallel
#pragma omp single
    size = omp_get_num_threads();
    return size;
}

int main(int argc, char** argv) {
    if (argc > 1) {
        const struct rlimit limit = {4ul << 30, 4ul << 30};
        if (setrlimit(RLIMIT_AS, &limit) != 0) SKIP("setrlimit says no");
        CHECK_EQ(team_size(), 21);
        CHECK_EQ(team_size(), 21);
        omp_set_num_threads(5);
        CHECK_EQ(team_size(), 5);
        omp_set_num_threads(1 << 30);
        CHECK_EQ(team_size(), 21);
        return 0;
    }
    char preload[4096];
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s/failing_threads.so", getenv("SITUATIONS_DIR"));
    struct Again again = run_again("work", 15, preload, "FAULTS_THREADS=20", NULL);
    judge_again(&again, "with 2,000,000,000 threads asked for");
    if (WEXITSTATUS(again.status) != 0) WRONG("ends: %s", again.errors);
    CHECK_EQ(again.lines, 1);
    return 0;
}
