// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2 OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=on
// emulated: QEMU makes a fork of a vfork
//
// A child of vfork makes a call that may sleep while a task of higher priority is ready. The child
// has its parent's memory, but is a process of its own: the task does not run there.
#include "check.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { ROUNDS = 100, LONG = 1000000 };

static volatile int child_runs;
static int served;

static void make_child(int file) {
    const pid_t child = vfork();
    if (child == 0) {
        child_runs = 1;
        for (volatile long i = 0; i < LONG; ++i) {
        }
        (void)!write(file, "x", 1);
        _exit(0);
    }
    CHECK(child > 0);
    CHECK_EQ(waitpid(child, NULL, 0), child);
}

int main(void) {
    const pid_t own = getpid();
    const int file = open("/dev/null", O_WRONLY);
    for (int round = 0; round < ROUNDS; ++round) {
        child_runs = 0;
#pragma omp parallel
#pragma omp single
        {
#pragma omp task untied priority(1)
            make_child(file);
            while (!child_runs)
                sched_yield();
#pragma omp task untied priority(5)
            {
                CHECK_EQ(syscall(SYS_getpid), own);
                __atomic_fetch_add(&served, 1, __ATOMIC_RELEASE);
            }
            check_wait_for(&served, round + 1);
        }
    }
    CHECK_EQ(served, ROUNDS);
    return 0;
}
