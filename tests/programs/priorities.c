// SPDX-License-Identifier: Apache-2.0
// Runs tasks of three priorities in a team of two threads: one thread creates the tasks and waits,
// the other one runs them. Each round has two low tasks, which take some milliseconds. While the
// first of them runs, the creator creates a short high task. With an argument, each low task
// creates the high task itself, and there are no other tasks.
//
// The program measures times by its own clock. It prints one line for each low and high task, with
// the priority and four times in nanoseconds:
// - from the end of the task's construct until the task began, and until it ended;
// - from the beginning of the construct until the task began, and until it ended.
//
// It prints a line "preempted" for each low task that was running when the high task began:
// - how long the high task ran;
// - how long the interrupted step of the low task took, which is the longest time for which the low
//   task can have been preempted;
// - how long the low task ran after this step.
//
// The last line, "switches", has the number of times that a thread lost its processor.
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { ROUNDS = 40, LOW = 1, HIGH = 5, PLAIN = 30 };

struct times {
    long met, ready, began, ended, gap, back; // gap, back: length and end of the step in which the high task ran
    atomic_int runs, over;
};

static struct times high[ROUNDS], low[ROUNDS], second[ROUNDS];
static long sums[PLAIN];

static long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000 + time.tv_nsec;
}

// A loop in the program's own code, which can be preempted at most of its instructions.
static long compute(long steps) {
    volatile long sum = 0;
    for (long i = 0; i < steps; ++i)
        sum = sum + i;
    return sum;
}

// `by`: the high task that may preempt this task.
static void run(struct times* times, int parts, struct times* by) {
    times->began = now();
    atomic_store(&times->runs, 1);
    long last = times->began;
    for (int part = 0; part < parts; ++part) {
        compute(10000);
        const long here = now();
        if (by != NULL && atomic_load(&by->over) && by->began > last && by->began < here) {
            times->gap = here - last;
            times->back = here;
        }
        last = here;
    }
    times->ended = now();
    atomic_store(&times->over, 1);
}

static void wait_for(atomic_int* flag) {
    while (!atomic_load(flag))
        compute(10);
}

static void one_round(int i) {
    low[i].met = now();
#pragma omp task untied priority(LOW)
    run(&low[i], 400, &high[i]);
    low[i].ready = second[i].met = now();
#pragma omp task untied priority(LOW)
    run(&second[i], 100, &high[i]);
    second[i].ready = now();
    wait_for(&low[i].runs);
    compute(200000 + i % 7 * 200000);
    high[i].met = now();
#pragma omp task untied priority(HIGH)
    run(&high[i], 20, NULL);
    high[i].ready = now();
    wait_for(&high[i].over);
    wait_for(&low[i].over);
    wait_for(&second[i].over);
}

static void in_itself(int i) {
#pragma omp task untied priority(LOW)
    {
        low[i].began = now();
        compute(200000);
        const long before = now();
#pragma omp task untied priority(HIGH)
        run(&high[i], 20, NULL);
        high[i].ready = now();
        low[i].gap = high[i].ready - before;
        low[i].back = high[i].ready;
        compute(200000);
        low[i].ended = now();
        atomic_store(&low[i].over, 1);
    }
    low[i].ready = now();
    wait_for(&high[i].over);
    wait_for(&low[i].over);
}

static long from(long begin, long end) { return end > begin ? end - begin : 0; }

static void print(int priority, const struct times* times) {
    printf("%d %ld %ld %ld %ld\n", priority, from(times->ready, times->began), from(times->ready, times->ended),
           from(times->met, times->began), from(times->met, times->ended));
}

static void print_preempted(const struct times* times, const struct times* by) {
    if (times->gap != 0)
        printf("preempted %ld %ld %ld\n", from(by->began, by->ended), times->gap, from(times->back, times->ended));
}

int main(int argc, char** argv) {
    (void)argv;
    const int alone = argc > 1;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (int i = 0; i < ROUNDS; ++i)
            alone ? in_itself(i) : one_round(i);
        for (int i = 0; i < PLAIN && !alone; ++i) {
#pragma omp task
            sums[i] = compute(1000);
        }
    }
    for (int i = 0; i < ROUNDS; ++i) {
        print(LOW, &low[i]);
        if (!alone) print(LOW, &second[i]);
        print(HIGH, &high[i]);
        print_preempted(&low[i], &high[i]);
        print_preempted(&second[i], &high[i]);
    }
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    printf("switches %ld\n", used.ru_nivcsw);
    return sums[0] < 0;
}
