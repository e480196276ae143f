// SPDX-License-Identifier: Apache-2.0
// Runs known numbers of tasks of each kind. `teff stat` must report the numbers below. The first
// argument names the case.
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DEFERRED = 700, UNDEFERRED = 60, CHAIN = 50, PRIORITY = 40, LEVELS = 5, BARRIERS = 9, FLOOD = 20000, SEVENTH = 7, CHILDREN = 100 };

static long sum;
static int cell; // what the chain's tasks depend on

static void add(void) {
#pragma omp atomic
    ++sum;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void work(double seconds) {
    for (const double end = now() + seconds; now() < end;) {}
}

// The calling thread's time on a processor.
static double own_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void create_all(void) {
    for (int i = 0; i < DEFERRED; ++i) {
#pragma omp task
        add();
    }
    for (int i = 0; i < UNDEFERRED; ++i) {
#pragma omp task if (0)
        add();
    }
    for (int i = 0; i < CHAIN; ++i) {
#pragma omp task depend(inout : cell)
        add();
    }
    for (int i = 0; i < PRIORITY; ++i) {
#pragma omp task priority(1 + i % LEVELS)
        add();
    }
#pragma omp taskwait
}

// Far more than a queue takes, and undeferred ones between them.
static void flood(void) {
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < FLOOD; ++i) {
#pragma omp task if (i % SEVENTH != 0)
        add();
    }
}

static void each_kind(void) {
#pragma omp parallel
    {
#pragma omp single
        create_all();
        for (int i = 0; i < BARRIERS; ++i) {
#pragma omp barrier
        }
    }
    printf("%ld\n", sum);
}

// A task works for 0.4 s of its thread's own time, while another process wants the same processor.
// Prints that time in nanoseconds.
static void beside_another(void) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) abort();
    const pid_t other = fork();
    if (other == 0)
        for (;;) {}
#pragma omp parallel num_threads(1)
#pragma omp single
#pragma omp task
    {
        const double begin = own_time();
        while (own_time() < begin + 0.4) {}
        printf("%.0f\n", 1e9 * (own_time() - begin));
    }
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
}

// Half a second of work in a task, and the second thread has nothing to do meanwhile.
static void one_works(void) {
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
#pragma omp task if (0)
            work(0.5);
        }
    }
}

// The creator waits until another thread has run its task.
static void stolen(void) {
    int ran = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
#pragma omp task shared(ran)
            __atomic_store_n(&ran, 1, __ATOMIC_RELEASE);
            while (!__atomic_load_n(&ran, __ATOMIC_ACQUIRE)) {}
        }
    }
}

// The second iteration waits for its turn, and a task of its thread continues meanwhile. Then the
// iteration works for half a second in its ordered region.
static void turn_beside_a_task(void) {
    int begun = 0, opened = 0;
#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
    for (int i = 0; i < 2; ++i) {
        if (i == 0) {
            while (!__atomic_load_n(&begun, __ATOMIC_ACQUIRE)) {}
            work(0.02);
            __atomic_store_n(&opened, 1, __ATOMIC_RELEASE);
            work(0.02);
        } else {
#pragma omp task untied shared(begun, opened)
            while (!__atomic_load_n(&opened, __ATOMIC_ACQUIRE)) {
                __atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
#pragma omp taskyield
            }
            while (!__atomic_load_n(&begun, __ATOMIC_ACQUIRE)) {
#pragma omp taskyield
            }
        }
#pragma omp ordered
        if (i == 1) work(0.5);
    }
}

static void forks(int signal) {
    each_kind();
    const pid_t child = fork();
    if (child == 0) {
#pragma omp parallel num_threads(1)
        {
#pragma omp task
            add();
        }
        if (signal != 0) raise(signal);
        exit(0);
    }
    waitpid(child, NULL, 0);
}

static void* begins_and_ends(void* nothing) {
#pragma omp parallel num_threads(1)
    add();
    return nothing;
}

static int churning; // one of these threads has begun and ended

static void* churns(void* stop) {
    while (!__atomic_load_n((int*)stop, __ATOMIC_ACQUIRE)) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, begins_and_ends, NULL) != 0) abort();
        pthread_join(thread, NULL);
        __atomic_store_n(&churning, 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

// Threads begin and end all the time, so some do while the process forks. It is counted before its
// children are.
static int forks_a_lot(void) {
    int stop = 0, failed = 0;
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i)
        pthread_create(&threads[i], NULL, churns, &stop);
    while (!__atomic_load_n(&churning, __ATOMIC_ACQUIRE))
        sched_yield();
    for (int i = 0; i < CHILDREN; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            begins_and_ends(NULL);
            exit(0);
        }
        int status = 0;
        failed |= waitpid(child, &status, 0) != child || status != 0;
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < 4; ++i)
        pthread_join(threads[i], NULL);
    return failed;
}

static void wait_for_the_reader(void) {
    for (char byte; read(STDIN_FILENO, &byte, 1) > 0;) {}
}

// A region's tasks, and another program of the same process that does the same.
static void becomes_another(const char* program) {
    each_kind();
    fflush(stdout);
    execl(program, program, "kinds", (char*)NULL);
}

int main(int argc, char** argv) {
    const char* const what = argc > 1 ? argv[1] : "kinds";
    if (strcmp(what, "kinds") == 0) each_kind();
    else if (strcmp(what, "one") == 0) one_works();
    else if (strcmp(what, "beside another") == 0) beside_another();
    else if (strcmp(what, "beside another, killed") == 0) beside_another(), fflush(stdout), raise(SIGKILL);
    else if (strcmp(what, "flood") == 0) flood();
    else if (strcmp(what, "stolen") == 0) stolen();
    else if (strcmp(what, "turn") == 0) turn_beside_a_task();
    else if (strcmp(what, "fork") == 0) forks(0);
    else if (strcmp(what, "many forks") == 0) return forks_a_lot();
    else if (strcmp(what, "killed child") == 0) forks(SIGKILL), wait_for_the_reader();
    else if (strcmp(what, "waiting") == 0) each_kind(), wait_for_the_reader();
    else if (strcmp(what, "exec") == 0) becomes_another(argv[0]);
    else if (strcmp(what, "regions") == 0) each_kind(), each_kind(), each_kind();
    else if (strcmp(what, "serial") == 0) work(0.05);
    else if (strcmp(what, "killed") == 0) each_kind(), raise(SIGKILL);
    else return 2;
    return 0;
}
