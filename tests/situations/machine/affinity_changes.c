// SPDX-License-Identifier: Apache-2.0
//
// Situation: the affinity mask of the process changes while it runs: the process changes it itself, and another process changes it
// Catches: a runtime that keeps the number of processors that it found at the start
// env: OMP_NUM_THREADS=4
#include "situation.h"

#include <omp.h>
#include <sched.h>

static cpu_set_t all;

static cpu_set_t first_of_all(void) {
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int processor = 0; processor < CPU_SETSIZE; ++processor)
        if (CPU_ISSET(processor, &all)) {
            CPU_SET(processor, &one);
            return one;
        }
    return one;
}

static void set_from_outside(const cpu_set_t* mask) {
    const pid_t parent = getpid(), child = fork();
    if (child == 0) _exit(sched_setaffinity(parent, sizeof *mask, mask) != 0);
    situation_join(child);
}

static int team_size(void) {
    int size = 0, members = 0;
#pragma omp parallel reduction(+ : members)
    {
#pragma omp barrier
        ++members;
#pragma omp single
        size = omp_get_num_threads();
    }
    CHECK_EQ(members, size);
    return size;
}

int main(void) {
    if (sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) < 2) SKIP("needs two processors");
    const cpu_set_t one = first_of_all();
    CHECK_EQ(omp_get_num_procs(), CPU_COUNT(&all));
    for (int round = 0; round < 10; ++round) {
        if (sched_setaffinity(0, sizeof one, &one) != 0) SKIP("sched_setaffinity says no");
        CHECK_EQ(omp_get_num_procs(), 1);
        CHECK_EQ(omp_get_max_threads(), 4); // the program's own number stays
        CHECK_EQ(team_size(), 4);
        omp_set_dynamic(1);
        CHECK_EQ(team_size(), 1); // but where it leaves the number to the runtime
        omp_set_dynamic(0);
        set_from_outside(&all);
        CHECK_EQ(omp_get_num_procs(), CPU_COUNT(&all));
        CHECK_EQ(team_size(), 4);
        set_from_outside(&one);
        CHECK_EQ(omp_get_num_procs(), 1);
        CHECK_EQ(team_size(), 4);
        if (sched_setaffinity(0, sizeof all, &all) != 0) WRONG("sched_setaffinity says no");
    }
    return 0;
}
