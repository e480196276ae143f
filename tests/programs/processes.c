// SPDX-License-Identifier: Apache-2.0
// Runs TASKS tasks, and then
//     fork N    forks N children one after the other, each with twice as many tasks as the one before
//     exec      executes the same program again, with the same number of tasks
//     daemon    continues as a daemon with twice as many tasks, when its parent has ended
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void record(int tasks) {
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < tasks; ++i) {
#pragma omp task
        __asm__ volatile("");
    }
}

static int fork_children(int children, int tasks) {
    for (int i = 0; i < children; ++i) {
        tasks *= 2;
        if (fork() == 0) {
            record(tasks);
            exit(0);
        }
        int status;
        if (wait(&status) < 0 || status != 0) return 1;
    }
    return 0;
}

int main(int count, char** words) {
    const int tasks = count > 1 ? atoi(words[1]) : 1;
    const char* mode = count > 2 ? words[2] : "";
    record(tasks);
    if (strcmp(mode, "fork") == 0) return fork_children(atoi(words[3]), tasks);
    if (strcmp(mode, "exec") == 0) return execl(words[0], words[0], words[1], (char*)NULL);
    if (strcmp(mode, "daemon") != 0) return 0;
    if (daemon(1, 1) != 0) return 1;
    record(2 * tasks);
    return 0;
}
