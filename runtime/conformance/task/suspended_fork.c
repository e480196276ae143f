// SPDX-License-Identifier: Apache-2.0
// flags: -Wno-unused-variable -O0
// stock: fails, a thread that waits starts no unrelated task
//
// A process forks in a task while other tasks wait. In the parent all tasks continue. In the child,
// the tasks of the thread that forked continue; those of other threads are gone.
#include <sys/wait.h>

#include "suspended.h"

enum { TASKS = 40 };

static struct gate gates[TASKS];
static int waiting, passed, of_thread[TASKS], has_passed[TASKS];

static void wait_in_task(int i) {
    volatile int own = i;
    of_thread[i] = omp_get_thread_num();
    __atomic_fetch_add(&waiting, 1, __ATOMIC_RELEASE);
    gate_pass(&gates[i], i % WAITS);
    CHECK_EQ(own, i);
    __atomic_store_n(&has_passed[i], 1, __ATOMIC_RELEASE);
    __atomic_fetch_add(&passed, 1, __ATOMIC_RELAXED);
}

static void open_gates(int all, int thread) {
    for (int i = 0; i < TASKS; i++)
        if (all || of_thread[i] == thread) gate_open(&gates[i]);
}

// Only those of this thread are left.
static void go_on_in_child(int thread) {
#ifdef __SANITIZE_THREAD__ // which no longer follows this stack, but does all others
    _exit(0);
#endif
    open_gates(0, thread);
    for (int i = 0; i < TASKS; i++)
        if (of_thread[i] == thread) yield_until(&has_passed[i], 1);
}

int main(void) {
    static pid_t child = -1;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task untied
        {
            const int of_several = omp_get_num_threads() > 1, thread = omp_get_thread_num();
            yield_until(&waiting, TASKS);
            for (int i = 0; i < TASKS; i++)
                yield_until(&gates[i].begun, 1);
            child = fork();
            if (child == 0) go_on_in_child(thread);
            if (child == 0 && of_several) _exit(0); // the region is that of threads that are gone
            if (child != 0) open_gates(1, 0);
        }
        for (int i = 0; i < TASKS; i++) {
#pragma omp task untied
            wait_in_task(i);
        }
    }
    CHECK_EQ(passed, TASKS);
    if (child == 0) {
        int members = 0;
#pragma omp parallel reduction(+ : members) num_threads(2)
        members++;
        CHECK(members >= 1);
        _exit(0);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK_EQ(status, 0);
}
