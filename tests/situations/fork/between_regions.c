// SPDX-License-Identifier: Apache-2.0
// Situation: fork between two regions, then regions, tasks and locks in child and parent, 200 times
// Catches: a child that waits for its parent's pool, whose threads it does not have.

#include "../use_openmp.h"

enum { kRounds = 200 };

int main(void) {
    for (int round = 0; round < kRounds; ++round) {
        use_openmp(2 + round % 3);
        const pid_t child = fork();
        if (child == 0) {
            if (round % 2 == 0) use_openmp(1); // the parent's tasks must not count
            use_openmp(2 + (round + 1) % 3);
            use_nested_openmp(2, 2);
            _exit(0);
        }
        use_openmp(2 + (round + 1) % 3);
        situation_join(child);
    }
    return 0;
}
