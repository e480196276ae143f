// SPDX-License-Identifier: Apache-2.0
//
// Functions that the guest's OpenMP programs share. These are ordinary programs, and run on Teff's
// libgomp.so.1 with TEFF_PREEMPT=kernel and with other settings. `must` ends the process with a
// reason.
#ifndef PREEMPTED_H
#define PREEMPTED_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "preempt/teff_preempt.h"

#define must(condition, ...)                                                                                           \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("  %s:%d: ", __FILE_NAME__, __LINE__);                                                              \
            printf(__VA_ARGS__);                                                                                       \
            printf("\n");                                                                                              \
            fflush(NULL);                                                                                              \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

static inline uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline void sleep_ns(uint64_t ns) {
    const struct timespec time = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    nanosleep(&time, NULL);
}

static inline void stay_on(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    must(!sched_setaffinity(0, sizeof(set), &set), "there is no processor %d", cpu);
}

// The slots that the runtime shares with the module; null if the runtime does not use the module.
static inline const struct teff_preempt_slot* find_slots(size_t* count) {
    char line[512];
    unsigned long begin, end;
    const struct teff_preempt_slot* found = NULL;
    FILE* const maps = fopen("/proc/self/maps", "r");
    must(maps, "no /proc/self/maps");
    while (!found && fgets(line, sizeof(line), maps))
        if (strstr(line, TEFF_PREEMPT_DEVICE) && sscanf(line, "%lx-%lx", &begin, &end) == 2)
            found = (const struct teff_preempt_slot*)begin;
    fclose(maps);
    if (found) *count = (end - begin) / sizeof(*found);
    return found;
}

struct ticks {
    uint64_t entered;
    uint64_t missed[TEFF_PREEMPT_MISSES];
};

// The ticks of all slots of the process.
static inline struct ticks count_ticks(void) {
    struct ticks sum = {0};
    size_t count = 0;
    const struct teff_preempt_slot* const slots = find_slots(&count);
    for (size_t i = 0; i < count; i++) {
        sum.entered += __atomic_load_n(&slots[i].entered, __ATOMIC_RELAXED);
        for (int why = 0; why < TEFF_PREEMPT_MISSES; why++)
            sum.missed[why] += __atomic_load_n(&slots[i].missed[why], __ATOMIC_RELAXED);
    }
    return sum;
}

static inline bool wants_module(void) {
    const char* const source = getenv("TEFF_PREEMPT");
    return source && !strcmp(source, "kernel");
}

static inline void print_ticks(const char* what) {
    const struct ticks ticks = count_ticks();
    if (!wants_module()) return;
    printf("  figure: %s: ticks delivered %lu, lost in the kernel %lu, off the processor %lu, outside of the ranges "
           "%lu, held %lu, for the stack %lu, late %lu\n",
           what, ticks.entered, ticks.missed[TEFF_PREEMPT_MISS_KERNEL], ticks.missed[TEFF_PREEMPT_MISS_ELSEWHERE],
           ticks.missed[TEFF_PREEMPT_MISS_RANGE], ticks.missed[TEFF_PREEMPT_MISS_HELD],
           ticks.missed[TEFF_PREEMPT_MISS_STACK], ticks.missed[TEFF_PREEMPT_MISS_LATE]);
    must(ticks.entered > 0, "no tick entered");
}

#endif
