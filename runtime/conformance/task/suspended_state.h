// SPDX-License-Identifier: Apache-2.0
//
// Tries every way to wait, in untied tasks and, if TIED_TOO, in tied tasks. Tasks with the clauses
// OPENER open the gate. The state of a waiting task is the same after the wait: its stack, errno,
// the rounding mode.
#include <errno.h>
#include <fenv.h>

#include "suspended.h"

enum { ROUNDS = 20 };

static int passed;

static void wait_and_look(struct gate* gate, int number) {
    volatile unsigned char pattern[512];
    const volatile unsigned char* const here = pattern;
    for (int i = 0; i < 512; i++)
        pattern[i] = (unsigned char)(number + i);
    errno = 1000 + number;
    CHECK(fesetround(FE_UPWARD) == 0);
    gate_pass(gate, number % WAITS);
    CHECK_EQ(errno, 1000 + number);
    CHECK_EQ(fegetround(), FE_UPWARD);
    fesetround(FE_TONEAREST);
    CHECK(here == pattern);
    for (int i = 0; i < 512; i++)
        CHECK_EQ(pattern[i], (unsigned char)(number + i));
    __atomic_fetch_add(&passed, 1, __ATOMIC_RELAXED);
}

static void open_and_disturb(struct gate* gate) {
    errno = EDOM;
    fesetround(FE_TOWARDZERO);
    gate_open(gate);
    fesetround(FE_TONEAREST);
}

static void wait_in_tasks(int tied) {
    static struct gate gates[ROUNDS * WAITS];
    memset(gates, 0, sizeof gates);
    passed = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < ROUNDS * WAITS; i++) {
#pragma omp task OPENER
        open_and_disturb(&gates[i]);
        if (tied) {
#pragma omp task
            wait_and_look(&gates[i], i);
        } else {
#pragma omp task untied
            wait_and_look(&gates[i], i);
        }
    }
    CHECK_EQ(passed, ROUNDS * WAITS);
}

int main(void) {
    wait_in_tasks(0);
#ifdef TIED_TOO
    wait_in_tasks(1);
#endif
}
