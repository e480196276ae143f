// SPDX-License-Identifier: Apache-2.0
// The handler of a timer forks wherever its thread is at that moment. The child returns from the
// handler and continues, as a checkpoint of its parent does. Prints "CHILDREN BAD" at the end.

#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kChildren = 100, kTasksOfChild = 2000 };

static volatile int forks, is_child;
static volatile long left;

static void fork_here(int signal) {
    (void)signal;
    if (is_child || forks == kChildren) return;
    const pid_t child = fork();
    if (child > 0) ++forks;
    if (child != 0) return;
    is_child = 1;
    left = kTasksOfChild;
    const struct itimerval none = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &none, NULL);
}

__attribute__((noinline)) static void create_below(int depth) {
    if (depth > 0) {
        create_below(depth - 1);
        __asm__ volatile("");
        return;
    }
    int ran = 0;
#pragma omp task shared(ran)
    ++ran;
#pragma omp taskwait
    if (!ran) _exit(1);
}

int main(void) {
    const struct sigaction action = {.sa_handler = fork_here, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    const struct itimerval often = {{0, 2000}, {0, 2000}};
    setitimer(ITIMER_REAL, &often, NULL);
#pragma omp parallel num_threads(1)
    while (forks < kChildren) {
        create_below(20);
        if (is_child && --left == 0) _exit(0);
    }
    int children = 0, bad = 0, status;
    while (wait(&status) > 0) {
        ++children;
        bad += status != 0;
    }
    printf("%d %d\n", children, bad);
    return 0;
}
