// SPDX-License-Identifier: Apache-2.0
// Situation: fork before OpenMP is used at all, then regions in child and parent at the same time
// Catches: a runtime that sets itself up in the parent alone, or under a lock that the child finds taken.

#include "../use_openmp.h"

int main(void) {
    const pid_t child = fork();
    use_openmp(4);
    use_nested_openmp(2, 3);
    if (child == 0) _exit(0);
    situation_join(child);
    return 0;
}
