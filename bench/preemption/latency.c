// SPDX-License-Identifier: Apache-2.0
//
// Measures how soon a task of high priority starts while the only other thread runs a task of low
// priority, and what the interruption costs that thread.
//
//     latency KIND COUNT
//
// KIND says what the low task does (see `kinds`). With `signal`, there are no tasks: a thread sends
// COUNT signals to a busy thread, and the handler is the measured code. Prints one line of JSON:
// times from ready to running in microseconds, and how much processor time each interruption cost
// the busy thread. The low task works in batches of some microseconds. The cost is the thread's
// processor time that exceeds (number of batches) x (the median time of a batch).
#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    WORDS = 256,
    WORD = 32,
    BIG = 1 << 20,
    MATRIX = 48,
    MOST_BATCHES = 1 << 22,
    GAP_US = 200,
    LONGEST_WAIT_US = 1000000
};

static char words[WORDS][WORD], source[BIG], target[BIG];
static double left[MATRIX * MATRIX], right[MATRIX * MATRIX], product[MATRIX * MATRIX];
static volatile double real_sink;
static volatile int whole_sink;

static double seconds_of(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}
static double now_us(void) { return seconds_of(CLOCK_MONOTONIC) * 1e6; }

static void compute(void) {
    double x = 1;
    for (int i = 0; i < 4000; ++i)
        x = x * 1.0000001 + 1e-9;
    real_sink = x;
}
static void compare_strings(void) {
    for (int i = 0; i < WORDS; ++i)
        whole_sink += !strcmp(words[i], words[WORDS - 1]);
}
static void allocate(void) {
    for (size_t i = 0; i < 100; ++i) {
        char* volatile block = malloc(64 + i);
        block[0] = 1;
        free(block);
    }
}
static void sines(void) {
    double x = 1;
    for (int i = 0; i < 500; ++i)
        real_sink = sin(x += 0.1);
}
static void print(void) {
    char text[64];
    for (int i = 0; i < 30; ++i)
        whole_sink += snprintf(text, sizeof text, "%d %f", i, i * 0.5);
}
static void copy(void) {
    memcpy(target, source, BIG);
    whole_sink += target[BIG / 2];
}
static void read_clock(void) {
    for (int i = 0; i < 300; ++i)
        real_sink = omp_get_wtime();
}
static void multiply(void) {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, MATRIX, MATRIX, MATRIX, 1, left, MATRIX, right, MATRIX, 0,
                product, MATRIX);
    real_sink = product[0];
}

static const struct {
    const char* name;
    void (*batch)(void);
} kinds[] = {
    {"signal", compute}, {"own", compute}, {"strcmp", compare_strings}, {"malloc", allocate}, {"sin", sines},
    {"snprintf", print}, {"memcpy", copy}, {"wtime", read_clock},       {"dgemm", multiply},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void (*batch)(void);
static int stop, started; // accessed atomically
static double* times_us;  // from ready to running, in the order of the starts
static float* batch_us;
static long batches;
static double busy_cpu_us;

static void work(void) {
    const double cpu = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    double before = now_us();
    long done = 0;
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        batch();
        const double now = now_us();
        if (done < MOST_BATCHES) batch_us[done] = (float)(now - before);
        ++done;
        before = now;
    }
    busy_cpu_us = (seconds_of(CLOCK_THREAD_CPUTIME_ID) - cpu) * 1e6;
    batches = done;
}

static void starts(double ready_us) {
    const double time = now_us() - ready_us;
    times_us[__atomic_load_n(&started, __ATOMIC_RELAXED)] = time;
    __atomic_fetch_add(&started, 1, __ATOMIC_RELEASE);
}

// Returns 0 if the start with this number has not happened in time. The thread sleeps meanwhile, so
// that it does not compete with the busy thread for a processor.
static int await_start(int number) {
    for (const double until = now_us() + LONGEST_WAIT_US; now_us() < until; usleep(GAP_US))
        if (__atomic_load_n(&started, __ATOMIC_ACQUIRE) > number) return 1;
    return __atomic_load_n(&started, __ATOMIC_ACQUIRE) > number;
}

static double sent_us;
static void handle(int signal) {
    (void)signal;
    starts(sent_us);
}
static void* work_in_thread(void* nothing) {
    work();
    return nothing;
}

// Returns the number of starts that came too late.
static int send_signals(int count) {
    signal(SIGUSR1, handle);
    pthread_t thread;
    if (pthread_create(&thread, NULL, work_in_thread, NULL) != 0) abort();
    usleep(20000);
    int late = 0;
    for (int i = 0; i < count && late == 0; ++i) {
        sent_us = now_us();
        pthread_kill(thread, SIGUSR1);
        usleep(GAP_US);
        late += !await_start(i);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    return late;
}

static int make_tasks(int count) {
    int late = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task untied priority(1)
        work();
        usleep(20000); // the other thread has started it
        for (int i = 0; i < count && late == 0; ++i) {
            const double ready_us = now_us();
#pragma omp task untied priority(5) firstprivate(ready_us)
            starts(ready_us);
            usleep(GAP_US);
            late += !await_start(i);
        }
        __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    }
    return late;
}

static int by_value(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}
static int by_value_float(const void* a, const void* b) {
    const float x = *(const float*)a, y = *(const float*)b;
    return (x > y) - (x < y);
}

static void report(int late) {
    qsort(times_us, (size_t)started, sizeof *times_us, by_value);
    const long kept = batches < MOST_BATCHES ? batches : MOST_BATCHES;
    qsort(batch_us, (size_t)kept, sizeof *batch_us, by_value_float);
    const double cost_us = (busy_cpu_us - (double)batches * batch_us[kept / 2]) / started;
    printf("{\"starts\": %d, \"late\": %d, \"median_us\": %.2f, \"p90_us\": %.2f, \"p99_us\": %.2f, \"max_us\": %.1f, "
           "\"cost_us\": %.2f, \"batch_us\": %.2f}\n",
           started, late, times_us[started / 2], times_us[started * 9L / 10], times_us[started * 99L / 100],
           times_us[started - 1], cost_us, batch_us[kept / 2]);
}

int main(int argc, char** argv) {
    const int count = argc == 3 ? atoi(argv[2]) : 0;
    int kind = 0;
    while (kind < KINDS && (argc != 3 || strcmp(argv[1], kinds[kind].name) != 0))
        ++kind;
    if (kind == KINDS || count < 1) {
        fprintf(stderr, "usage: latency KIND COUNT; KIND is one of");
        for (kind = 0; kind < KINDS; ++kind)
            fprintf(stderr, " %s", kinds[kind].name);
        fprintf(stderr, "; COUNT is the number of starts, from 1\n");
        return 2;
    }
    batch = kinds[kind].batch;
    for (int i = 0; i < WORDS; ++i)
        snprintf(words[i], WORD, "#common-prefix-%d", i);
    times_us = calloc((size_t)count, sizeof *times_us);
    batch_us = calloc(MOST_BATCHES, sizeof *batch_us);
    if (times_us == NULL || batch_us == NULL) abort();
    const int late = (kind == 0 ? send_signals : make_tasks)(count);
    if (started == 0) {
        printf("{\"starts\": 0, \"late\": %d}\n", late);
        return 0;
    }
    report(late);
    return 0;
}
