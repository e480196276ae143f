// SPDX-License-Identifier: Apache-2.0
//
// Functions that all checks use. Each check is a function that runs in a process of its own with a
// time limit. The check passes if the function returns. It fails if `must` ends the process with a
// reason, if a signal ends the process, or if the time limit is exceeded.
#ifndef HARNESS_H
#define HARNESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "preempt/tick_source.h"

struct check {
    const char* name;
    void (*run)(void);
};

// The groups of checks, each ended by an entry without a name.
extern const struct check intact_checks[];
extern const struct check demand_checks[];
extern const struct check stepped_checks[]; // needs ticks that hit single instructions
extern const struct check refusal_checks[];
extern const struct check lifetime_checks[];
extern const struct check root_checks[];
extern const struct check due_measurements[];   // one processor is enough
extern const struct check asked_measurements[]; // from one processor to another

#define must(condition, ...)                                                                                           \
    do {                                                                                                               \
        if (!(condition)) fail(__FILE__, __LINE__, __VA_ARGS__);                                                       \
    } while (0)

_Noreturn void fail(const char* file, int line, const char* format, ...) __attribute__((format(printf, 3, 4)));

// Checks that a call failed with this errno, either as a negative result or with -1.
#define must_be(result, wanted)                                                                                        \
    do {                                                                                                               \
        const long got = (result);                                                                                     \
        must(got == -(wanted), "%s gave %ld, not %ld", #result, got, -(long)(wanted));                                 \
    } while (0)

// The number of ticks for which the long checks run, over all of them.
extern uint64_t ticks_wanted;

// The calling thread as the handler sees it.
struct worker {
    uint32_t hold;
    uint32_t slot;
    uint64_t entered;
    void (*on_entry)(struct tick_frame* frame); // may be null; then the handler scrambles all registers
};

extern _Thread_local struct worker me;
extern struct tick_source source;

void handler(struct tick_frame* frame, const void* extended);

// The period of ticks if a check names none: as short as the machine can handle.
extern uint64_t short_period_ns;

// Opens the source with the range that is the section `preemptible`; binds the calling thread.
void open_source(uint64_t period_ns, uint32_t slots);
void bind_me(void);
volatile struct teff_preempt_slot* my_slot(void);
uint64_t counted(void); // ticks that entered the calling thread, as the module counts them
bool ticking(void);
void arm_me(void);
void disarm_me(void);

// Spins in the range until `entries` further ticks have entered, or fails after a while.
void spin_for(uint64_t entries);
uint64_t missed(unsigned int why);
void spin_until_missed(unsigned int why, uint64_t more);
uint64_t now_ns(void);
void set_range_to_preemptible(void);

// A second thread, joined with a check that it returned null.
typedef void* (*thread_body)(void*);
unsigned long start(thread_body body, void* argument);
void join(unsigned long thread);

// Runs the function in a child and returns its wait status.
int in_child(void (*function)(void));

// preemptible.S and mill.c
struct canary {
    uint8_t ymm_in[512];
    uint8_t ymm_out[512];
    uint64_t gpr_out[16];
    uint64_t red_out[16];
    uint64_t flags_in, flags_out;
    double x87_in[2], x87_out[2];
    uint32_t mxcsr_in, mxcsr_out;
    uint32_t cw_in, cw_out;
};

void canary_run(struct canary* canary, uint64_t iterations);
void spin(uint64_t iterations);
void spin_on(uint64_t sp, uint64_t iterations);
uint64_t spin_in_kernel(uint64_t calls, uint64_t number);
void spin_stepped(uint64_t iterations);
int spin_restartable(void* rseq, uint64_t iterations);
void scramble(void);
void call_on(void* top, void (*function)(void*), void* argument);
uint64_t mill(uint64_t seed, uint64_t rounds);

extern const char __start_preemptible[];
extern const char __stop_preemptible[];

#endif
