// SPDX-License-Identifier: Apache-2.0
// Runs a region, then forks a child that also uses OpenMP, and then runs another region in the
// parent.

#include <sys/wait.h>
#include <unistd.h>

static int count;

static void region_with_tasks(int tasks) {
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < tasks; ++i) {
#pragma omp task
        __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
    }
}

int main(void) {
    region_with_tasks(10);
    const pid_t child = fork();
    if (child < 0) return 2;
    if (child == 0) {
        region_with_tasks(1000);
        _exit(count == 1010 ? 0 : 3);
    }
    int status = -1;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return 4;
    region_with_tasks(20);
    return count == 30 ? 0 : 1;
}
