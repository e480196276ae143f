// SPDX-License-Identifier: Apache-2.0
// Forks after a region; parent and child both run another region and end regularly.

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int region(void) {
    int sum = 0;
#pragma omp parallel reduction(+ : sum)
    ++sum;
    return sum;
}

int main(void) {
    int before = region(), status;
    pid_t child = fork();
    if (child == 0) exit(region() == before ? 5 : 6);
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 5) return 1;
    return region() != before;
}
