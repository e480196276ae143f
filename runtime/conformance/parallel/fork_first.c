// SPDX-License-Identifier: Apache-2.0
//
// A process that forks before its first region: parent and child both have working teams.
#include "check.h"
#include <sys/wait.h>

static int count_team(void) {
    int size = 0;
#pragma omp parallel num_threads(4) reduction(+ : size)
    size++;
    return size;
}

int main(void) {
    omp_set_dynamic(0);
    pid_t child = fork();
    CHECK(child >= 0);
    CHECK_EQ(count_team(), 4);
    if (child == 0) return 0;
    int status = 0;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
