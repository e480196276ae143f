// SPDX-License-Identifier: Apache-2.0
// Situation: a member other than the leader forks; the child continues to the region's end, where the leader is missing, and must end
// Catches: a child that sleeps for ever at the region's end. As after the return of any thread's start routine, the process ends with its
// last thread, with status 0, and runs the handlers of atexit.

#include "../use_openmp.h"

static int pipe_ends[2];

static void at_the_end(void) {
    const char mark = 'x';
    if (write(pipe_ends[1], &mark, 1) != 1) _exit(9);
}

// In the child, which is the whole team now.
static void go_on_alone(void) {
    CHECK_EQ(omp_get_thread_num(), 0);
    CHECK_EQ(omp_get_num_threads(), 1);
    CHECK_EQ(tree_of_tasks(3), 8);
    int members = 0;
#pragma omp parallel num_threads(2) reduction(+ : members) // threads that the child has started itself
    ++members;
    CHECK_EQ(members, 2);
}

int main(void) {
    if (pipe(pipe_ends) != 0) SKIP("no pipe");
    const pid_t parent = getpid();
    pid_t child = -1;
    atexit(at_the_end);
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(3)
    {
#pragma omp barrier
        if (omp_get_thread_num() == 2) {
            child = fork();
            if (child == 0) go_on_alone();
        }
#pragma omp barrier
    }
    if (getpid() != parent) WRONG("the child goes on as if it were the leader");
    situation_join(child);
    close(pipe_ends[1]);
    char marks[4];
    CHECK_EQ(read(pipe_ends[0], marks, sizeof marks), 1);
    _exit(0);
}
