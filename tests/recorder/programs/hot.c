// SPDX-License-Identifier: Apache-2.0
// Spends processor time in named functions, whose shares are known.
//
//     hot task MS      a task spends MS ms: three quarters in hot, and one quarter in cold
//     hot serial MS    a serial part between two regions spends MS ms in assemble
//     hot kernel MS    a task spends MS ms, mostly in the kernel: it takes memory and gives it back
//     hot long MS      a region's only thread spends MS ms without an event of OpenMP
//     hot threads MS   two threads, one after the other, spend MS ms each in a region of their own
//     hot fork MS      a serial part of the process, and then one of its child, spend MS ms each
//     hot can          prints whether the kernel would take samples
//
// Each but the last prints the processor time that was spent, and how much of it in the kernel, in
// ns; of the two processes, the child does so first.
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "work.h"

static int64_t cpu_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int64_t in_kernel(void) {
    struct rusage usage;
    CHECK(getrusage(RUSAGE_THREAD, &usage) == 0);
    return usage.ru_stime.tv_sec * 1000000000LL + usage.ru_stime.tv_usec * 1000LL;
}

// Without a call: the clock is read by the callers, and rarely.
#define SPIN(NAME)                                                                                                     \
    __attribute__((noinline)) static void NAME(long steps) {                                                           \
        static volatile double sum;                                                                                    \
        for (long i = 0; i < steps; ++i)                                                                               \
            sum = sum * 0.5 + 1.0;                                                                                     \
    }
SPIN(hot)
SPIN(cold)
SPIN(assemble)

static long steps_of_ms;

// All three take the same time for a step.
static void measure(void) {
    const long steps = 2000000;
    int64_t best = INT64_MAX;
    for (int i = 0; i < 5; ++i) {
        const int64_t begin = cpu_time();
        hot(steps);
        const int64_t took = cpu_time() - begin;
        if (took < best) best = took;
    }
    steps_of_ms = (long)(1e6 * (double)steps / (double)best);
}

static void mixed(int ms) {
    for (int i = 0; i < ms; i += 4) {
        hot(3 * steps_of_ms);
        cold(steps_of_ms);
    }
}

static void memory(int ms) {
    const size_t bytes = 1 << 20;
    const int64_t end = cpu_time() + ms * 1000000LL;
    while (cpu_time() < end) {
        char* const pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(pages != MAP_FAILED);
        for (size_t i = 0; i < bytes; i += 4096)
            pages[i] = 1;
        CHECK(munmap(pages, bytes) == 0);
    }
}

static void in_task(void (*work)(int), int ms) {
#pragma omp parallel num_threads(1)
    {
#pragma omp task
        work(ms);
    }
}

static void empty_region(void) {
#pragma omp parallel num_threads(2)
    CHECK(omp_get_num_threads() == 2);
}

static void serial(int ms) {
    empty_region();
    assemble(ms * steps_of_ms);
    empty_region();
}

static void* thread(void* ms) {
#pragma omp parallel num_threads(1)
    mixed(*(int*)ms);
    return NULL;
}

static void threads(int ms) {
    for (int i = 0; i < 2; ++i) {
        pthread_t id;
        CHECK(pthread_create(&id, NULL, thread, &ms) == 0);
        CHECK(pthread_join(id, NULL) == 0);
    }
}

static int64_t cpu_begin, kernel_begin;

static void begin_measured(void) {
    cpu_begin = cpu_time();
    kernel_begin = in_kernel();
}

static void print_measured(void) {
    printf("%lld %lld\n", (long long)(cpu_time() - cpu_begin), (long long)(in_kernel() - kernel_begin));
}

static void forked(int ms) {
    serial(ms);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        begin_measured();
        serial(ms);
        print_measured();
        exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static int can(void) {
    struct perf_event_attr wanted = {.size = sizeof wanted,
                                     .type = PERF_TYPE_SOFTWARE,
                                     .config = PERF_COUNT_SW_TASK_CLOCK,
                                     .sample_period = 1000000,
                                     .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_READ,
                                     .exclude_kernel = 1,
                                     .exclude_hv = 1,
                                     .use_clockid = 1,
                                     .clockid = CLOCK_MONOTONIC};
    const int file = (int)syscall(SYS_perf_event_open, &wanted, 0, -1, -1, 0);
    if (file < 0) return 0;
    const size_t bytes = 3 * (size_t)sysconf(_SC_PAGESIZE);
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) != MAP_FAILED;
}

int main(int count, char** words) {
    CHECK(count > 1);
    if (strcmp(words[1], "can") == 0) return printf("%d\n", can()) < 0;
    CHECK(count > 2);
    const int ms = atoi(words[2]);
    measure();
    begin_measured();
    if (strcmp(words[1], "task") == 0) in_task(mixed, ms);
    if (strcmp(words[1], "serial") == 0) serial(ms);
    if (strcmp(words[1], "kernel") == 0) in_task(memory, ms);
    if (strcmp(words[1], "threads") == 0) threads(ms);
    if (strcmp(words[1], "fork") == 0) forked(ms);
    if (strcmp(words[1], "long") == 0) {
#pragma omp parallel num_threads(1)
        mixed(ms);
    }
    print_measured();
    return 0;
}
