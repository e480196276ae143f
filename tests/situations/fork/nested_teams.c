// SPDX-License-Identifier: Apache-2.0
// Situation: fork after nested regions, by every member on each of three levels and between
// regions; the children nest regions, fork again, and do the same
// Catches: a child that recovers only the outermost team, and waits for the threads of the inner
// teams that its thread led.

#include "../use_openmp.h"

enum { kRounds = 10, kWidth = 2, kGenerations = 3 };

// Three levels deep. Each thread leads a team on the levels below its own then.
static void use_deep_nesting(void) {
    int members = 0;
#pragma omp parallel num_threads(kWidth)
#pragma omp parallel num_threads(kWidth + 1)
#pragma omp parallel num_threads(kWidth)
#pragma omp atomic
    ++members;
    CHECK_EQ(members, kWidth * (kWidth + 1) * kWidth);
}

static void use_and_end(void) {
    use_deep_nesting();
    use_openmp(3);
    use_nested_openmp(3, 2);
    _exit(0);
}

static void fork_and_use(void) {
    const pid_t child = fork();
    if (child == 0) use_and_end();
    situation_join(child);
}

static void fork_on_each_level(void) {
#pragma omp parallel num_threads(kWidth)
    {
        use_deep_nesting();
        fork_and_use();
#pragma omp parallel num_threads(kWidth)
        {
            use_nested_openmp(2, 2);
            fork_and_use();
#pragma omp parallel num_threads(kWidth)
            fork_and_use();
            fork_and_use(); // the team of the third level is between regions
        }
        use_nested_openmp(2, 2);
    }
}

static void generation(int left) {
    use_deep_nesting();
    fork_and_use();
    if (left == 0) return;
    const pid_t child = fork();
    if (child == 0) {
        generation(left - 1);
        exit(0); // in order: the runtime's end is tried, too
    }
    situation_join(child);
    use_deep_nesting();
}

int main(void) {
    omp_set_max_active_levels(8);
    for (int round = 0; round < kRounds; ++round) {
        fork_on_each_level();
        generation(kGenerations);
    }
    return 0;
}
