// SPDX-License-Identifier: Apache-2.0
//
// Threads without binding may run on the same processors as the thread that created them, however
// they were started. A system that forbids setting affinity masks costs no thread: a child process
// with a filter that does so runs first.
#include "check.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static cpu_set_t of_initial;

static void check_masks(int threads) {
    int found = 0;
#pragma omp parallel num_threads(threads) reduction(+ : found)
    {
        cpu_set_t mine;
        CHECK_EQ(sched_getaffinity(0, sizeof mine, &mine), 0);
        CHECK(CPU_EQUAL(&mine, &of_initial));
        found++;
    }
    CHECK_EQ(found, threads);
}

static int forbid_to_set_masks(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_sched_setaffinity, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

int main(void) {
    if (sched_getaffinity(0, sizeof of_initial, &of_initial) != 0) return 0; // more processors than a set here holds
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        if (!forbid_to_set_masks()) return 0;
        for (int threads = 2; threads <= 8; threads++)
            check_masks(threads);
        return 0;
    }
    int status = 0;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
    for (int threads = 2; threads <= 8; threads++)
        check_masks(threads);
    if (CPU_COUNT(&of_initial) < 2) return 0;

    // The creator's mask is another one than the process began with.
    cpu_set_t all = of_initial;
    int first = 0;
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&of_initial);
    CPU_SET(first, &of_initial);
    CHECK_EQ(sched_setaffinity(0, sizeof of_initial, &of_initial), 0);
    int inherited = 0;
#pragma omp parallel num_threads(12) reduction(+ : inherited)
    {
        cpu_set_t mine;
        CHECK_EQ(sched_getaffinity(0, sizeof mine, &mine), 0);
        inherited += CPU_EQUAL(&mine, &of_initial) != 0;
    }
    CHECK(inherited >= 5); // the leader, and the threads that are new
    CHECK_EQ(sched_setaffinity(0, sizeof all, &all), 0);
}
