// SPDX-License-Identifier: Apache-2.0
//
// Measures the processor time that threads use while they wait. The bounds are generous: they must
// distinguish sleeping from spinning, on any machine.
#ifndef WAITS_H
#define WAITS_H

#include "situation.h"

__attribute__((unused)) static void waits_sleep_ms(long ms) {
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};
    while (nanosleep(&left, &left) != 0) {
    }
}

static long waits_most_ms; // what those who waited used, at most

// The caller does nothing for so long; whoever waits for it meanwhile may use a tenth of that time,
// on all processors together.
__attribute__((unused)) static void waits_while_others_wait_ms(long ms) {
    const long before_ms = situation_cpu_ms();
    waits_sleep_ms(ms);
    const long used_ms = situation_cpu_ms() - before_ms;
    if (used_ms > ms / 10) SPINS(used_ms);
    if (used_ms > waits_most_ms) waits_most_ms = used_ms;
}

__attribute__((unused)) static void waits_note(long ms) { printf("note: at most %ld ms CPU in %ld ms\n", waits_most_ms, ms); }

#endif
