// SPDX-License-Identifier: Apache-2.0
// stock: fails, the child waits for workers that only its parent has
//
// A process that forks after a region: the child builds a team of its own.
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
    CHECK_EQ(count_team(), 4);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) alarm(5); // alarms are not inherited
    CHECK_EQ(count_team(), 4);
    if (child == 0) return 0;
    int status = 0;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK_EQ(count_team(), 4);
}
