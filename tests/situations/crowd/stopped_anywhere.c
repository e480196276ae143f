// SPDX-License-Identifier: Apache-2.0
//
// Situation: a debugger stops single threads of the program at any instruction, for 10 ms each, 60 times
// Catches: a runtime that loses a wake-up, or treats a thread that does not respond as ended
// env: OMP_NUM_THREADS=4
// limit: 60
#include "crowd/waits.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>

enum { kStops = 60 };

static volatile int* enough; // shared with the child: it may end

static long fib(int n) {
    long a, b;
    if (n < 2) return n;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static int work_until_enough(void) {
    while (!*enough) {
        long result = 0, sum = 0, inside = 0;
#pragma omp parallel reduction(+ : sum)
        {
#pragma omp single
            result = fib(12);
#pragma omp for schedule(dynamic)
            for (int i = 0; i < 200; ++i) {
                sum += i;
#pragma omp critical
                ++inside;
            }
#pragma omp for ordered
            for (int i = 0; i < 50; ++i)
#pragma omp ordered
                ++inside;
        }
        CHECK_EQ(result, 144);
        CHECK_EQ(sum, 19900);
        CHECK_EQ(inside, 250);
    }
    return 0;
}

// A thread of the process, each time another one if there are several; 0 if none was seen.
static pid_t pick_thread(pid_t process, int turn) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR* threads = opendir(path);
    if (!threads) return 0;
    pid_t all[64];
    int count = 0;
    for (struct dirent* entry = readdir(threads); entry && count < 64; entry = readdir(threads))
        if (entry->d_name[0] != '.') all[count++] = atoi(entry->d_name);
    closedir(threads);
    return count ? all[turn % count] : 0;
}

static void stop_for_a_while(pid_t thread) {
    int status;
    if (ptrace(PTRACE_SEIZE, thread, NULL, NULL) != 0) {
        if (errno == EPERM) SKIP("ptrace says no");
        return; // gone
    }
    if (ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) == 0 && waitpid(thread, &status, __WALL) == thread) waits_sleep_ms(10);
    ptrace(PTRACE_DETACH, thread, NULL, NULL);
}

int main(void) {
    enough = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const pid_t child = fork();
    if (child == 0) _exit(work_until_enough());
    for (int stop = 0; stop < kStops; ++stop) {
        const pid_t thread = pick_thread(child, stop);
        if (thread != 0) stop_for_a_while(thread);
        waits_sleep_ms(3);
    }
    *enough = 1;
    situation_join(child);
    return 0;
}
