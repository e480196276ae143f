// SPDX-License-Identifier: Apache-2.0
// Situation: each member of a region forks, all at the same time; the children use OpenMP and end by _exit, 50 times
// Catches: a child that waits at a nested region's end for threads that it does not have, or that finds a lock of the runtime taken
// for ever by another member.

#include "../use_openmp.h"

enum { kRounds = 50, kThreads = 4 };

static void child_of_member(void) {
    use_openmp(3); // nested: the child is still inside its parent's region
    use_openmp(2);
    _exit(0);
}

int main(void) {
    omp_set_max_active_levels(8);
    for (int round = 0; round < kRounds; ++round) {
        int joined = 0;
#pragma omp parallel num_threads(kThreads)
        {
            if (round % 2 == 0) use_openmp(3); // so that the child has a team of this thread's without threads
            const pid_t child = fork();
            if (child == 0) child_of_member();
            situation_join(child);
#pragma omp barrier
#pragma omp atomic
            ++joined;
        }
        CHECK_EQ(joined, kThreads);
    }
    return 0;
}
