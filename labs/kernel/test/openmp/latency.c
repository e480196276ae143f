// SPDX-License-Identifier: Apache-2.0
//
// latency SAMPLES: measures how long a task of high priority is ready before it runs, while every
// thread that could run it computes in a task of low priority. Another thread makes these tasks
// ready at random intervals, and sleeps in between. It has a processor of its own if the guest has
// two; otherwise it shares the processor. Times are measured on the guest's clock; no value fails
// the test.
#include "preempted.h"

#include <omp.h>
#include <sys/prctl.h>

static uint64_t* samples;
static volatile int begun, stop;
static int served, processors;

static void compute(void) {
    volatile double sum = 0;
    stay_on(omp_get_thread_num() % processors);
    __atomic_fetch_add(&begun, 1, __ATOMIC_RELEASE);
    while (!stop)
        sum += 1;
}

static void serve(uint64_t* sample, uint64_t ready_ns) {
    *sample = now_ns() - ready_ns;
    __atomic_fetch_add(&served, 1, __ATOMIC_RELEASE);
}

static int order(const void* a, const void* b) {
    const uint64_t x = *(const uint64_t*)a;
    const uint64_t y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

static uint64_t random_below(uint64_t bound) {
    static uint64_t state = 1;
    state = state * 6364136223846793005 + 1442695040888963407;
    return (state >> 33) % bound;
}

static void make_ready(int count) {
    for (int i = 0; i < count; i++) {
        sleep_ns(300000 + random_below(700000));
        uint64_t* const sample = &samples[i];
        const uint64_t ready_ns = now_ns();
#pragma omp task untied priority(5) firstprivate(sample, ready_ns)
        serve(sample, ready_ns);
        const uint64_t deadline = ready_ns + 10000000000;
        while (__atomic_load_n(&served, __ATOMIC_ACQUIRE) <= i) {
            sleep_ns(200000);
            must(now_ns() < deadline, "task %d does not come to its turn", i);
        }
    }
}

int main(int words_given, char** words) {
    const int count = words_given > 1 ? atoi(words[1]) : 300;
    const char* const source = getenv("TEFF_PREEMPT");
    processors = (int)sysconf(_SC_NPROCESSORS_ONLN);
    samples = calloc((size_t)count, sizeof(*samples));
#pragma omp parallel
#pragma omp master
    {
        const int others = omp_get_num_threads() - 1;
        stay_on(0);
        prctl(PR_SET_TIMERSLACK, 1); // else it wakes up when something else is due, as the other's timer
        for (int i = 0; i < others; i++) {
#pragma omp task untied priority(1)
            compute();
        }
        while (begun < others)
            sleep_ns(100000);
        make_ready(count);
        stop = 1;
    }
    must(served == count, "%d tasks ran", served);
    qsort(samples, (size_t)count, sizeof(*samples), order);
    printf("  figure: ready to running, %d processor%s, %-11s p50 %7.1f  p99 %7.1f  most %7.1f us  (%d tasks)\n",
           processors, processors > 1 ? "s" : "", source ? source : "off", (double)samples[count / 2] / 1e3,
           (double)samples[count * 99 / 100] / 1e3, (double)samples[count - 1] / 1e3, count);
    print_ticks("ready to running");
    return 0;
}
