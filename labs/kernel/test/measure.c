// SPDX-License-Identifier: Apache-2.0
//
// Measures latencies of the tick and of signals, on the guest's clock. Under emulation these
// latencies can only be compared with each other. No value fails the check; only a missing value
// does.

#include "harness.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#define SAMPLES 1000
#define PERIOD_NS 200000

static uint64_t samples[SAMPLES];
static volatile uint32_t taken;
static volatile uint64_t due_ns;

static int order(const void* a, const void* b) {
    const uint64_t x = *(const uint64_t*)a;
    const uint64_t y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

static void report(const char* what) {
    must(taken == SAMPLES, "%u samples only", taken);
    qsort(samples, SAMPLES, sizeof(*samples), order);
    printf("  figure: %-34s p50 %7.1f  p90 %7.1f  p99 %8.1f us\n", what, (double)samples[SAMPLES / 2] / 1e3,
           (double)samples[SAMPLES * 9 / 10] / 1e3, (double)samples[SAMPLES * 99 / 100] / 1e3);
}

static void take(uint64_t due) {
    if (taken < SAMPLES) {
        samples[taken] = now_ns() - due;
        taken = taken + 1;
    }
}

static void stay_on(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    must(!sched_setaffinity(0, sizeof(set), &set), "there is no processor %d", cpu);
}

static void spin_until_taken(void) {
    const uint64_t deadline = now_ns() + 300000000000ULL;
    while (taken < SAMPLES) {
        spin(20000);
        must(now_ns() < deadline, "%u samples only", taken);
    }
}

static void take_tick(struct tick_frame* frame) {
    (void)frame;
    take(my_slot()->due_ns);
}

static void tick(void) {
    stay_on(0);
    open_source(PERIOD_NS, 1);
    bind_me();
    me.on_entry = take_tick;
    arm_me();
    spin_until_taken();
    report("module, timer due to entry");
}

static uint64_t next_due_ns;

static void take_timer(int number) {
    (void)number;
    const uint64_t now = now_ns();
    take(next_due_ns + (now - next_due_ns) / PERIOD_NS * PERIOD_NS); // the last due time before now
}

static void timer_signal(void) {
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGURG};
    stay_on(0);
    event._sigev_un._tid = gettid();
    signal(SIGURG, take_timer);
    next_due_ns = now_ns() + 10000000;
    const struct itimerspec spec = {{0, PERIOD_NS},
                                    {(time_t)(next_due_ns / 1000000000), (long)(next_due_ns % 1000000000)}};
    must(!timer_create(CLOCK_MONOTONIC, &event, &timer), "no timer");
    must(!timer_settime(timer, TIMER_ABSTIME, &spec, NULL), "not set");
    spin_until_taken();
    timer_delete(timer);
    report("POSIX timer, due to handler");
}

// Ticks on demand: this thread requests them, and a thread on the other processor is interrupted.
static volatile pid_t victim_tid;
static volatile uint32_t victim_slot;

static void take_kick(struct tick_frame* frame) {
    (void)frame;
    disarm_me();
    take(due_ns);
}

static void* kicked(void* argument) {
    (void)argument;
    stay_on(1);
    bind_me();
    me.on_entry = take_kick;
    victim_slot = me.slot;
    victim_tid = gettid();
    spin_until_taken();
    return NULL;
}

static void take_signal(int number) {
    (void)number;
    take(due_ns);
}

static void* signalled(void* argument) {
    (void)argument;
    stay_on(1);
    victim_tid = gettid();
    spin_until_taken();
    return NULL;
}

static void wait_a_little(uint64_t ns) {
    const uint64_t until = now_ns() + ns;
    while (now_ns() < until)
        spin(200);
}

static void ask_all(void (*ask)(void)) {
    while (!victim_tid)
        sched_yield();
    for (uint32_t i = 0; i < SAMPLES; i++) {
        wait_a_little(300000);
        due_ns = now_ns();
        ask();
        while (taken <= i)
            spin(20);
    }
}

static void ask_by_kick(void) { must_be(tick_source_arm(&source, victim_slot, 1), 0); }

static void ask_by_signal(void) { syscall(SYS_tgkill, getpid(), victim_tid, SIGURG); }

static void kick(void) {
    stay_on(0);
    open_source(PERIOD_NS, 1);
    const unsigned long thread = start(kicked, NULL);
    ask_all(ask_by_kick);
    join(thread);
    report("module, kick to entry");
}

static void signal_on_demand(void) {
    stay_on(0);
    signal(SIGURG, take_signal);
    const unsigned long thread = start(signalled, NULL);
    ask_all(ask_by_signal);
    join(thread);
    report("tgkill to handler");
}

// What a tick costs the interrupted thread: the same work is done without interruptions, with
// ticks, and with a timer's signals.
static volatile uint64_t noted;

static void note_tick(struct tick_frame* frame) {
    (void)frame;
    noted++;
}

static void note_signal(int number) {
    (void)number;
    noted++;
}

#define WORK 20000000

static uint64_t time_of_work(void) {
    const uint64_t began = now_ns();
    for (int i = 0; i < 20; i++)
        spin(WORK / 20);
    return now_ns() - began;
}

static void cost(void) {
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGURG};
    const struct itimerspec spec = {{0, 100000}, {0, 100000}};
    stay_on(0);
    open_source(100000, 1);
    bind_me();
    me.on_entry = note_tick;
    event._sigev_un._tid = gettid();
    signal(SIGURG, note_signal);
    must(!timer_create(CLOCK_MONOTONIC, &event, &timer), "no timer");
    for (int round = 0; round < 3; round++) {
        const uint64_t alone = time_of_work();
        noted = 0;
        arm_me();
        const uint64_t ticked = time_of_work();
        disarm_me();
        const uint64_t ticks = noted;
        noted = 0;
        timer_settime(timer, 0, &spec, NULL);
        const uint64_t signalled_ns = time_of_work();
        const struct itimerspec off = {0};
        timer_settime(timer, 0, &off, NULL);
        const uint64_t signals = noted;
        must(ticks > 0 && signals > 0, "%lu ticks, %lu signals", ticks, signals);
        printf("  figure: cost at 100 us: module %.2f us each (%lu), timer signal %.2f us each (%lu), work alone %.0f "
               "us\n",
               ((double)ticked - (double)alone) / (double)ticks / 1e3, ticks,
               ((double)signalled_ns - (double)alone) / (double)signals / 1e3, signals, (double)alone / 1e3);
    }
}

const struct check due_measurements[] = {
    {"latency of the module's tick", tick},
    {"latency of a POSIX timer's signal", timer_signal},
    {"cost of a tick and of a signal", cost},
    {0},
};

const struct check asked_measurements[] = {
    {"latency of the module's kick", kick},
    {"latency of tgkill", signal_on_demand},
    {0},
};
