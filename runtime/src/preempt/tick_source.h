/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user's side of /dev/teff_preempt: opens the device, binds threads, starts and stops their
 * ticks. This file depends on nothing else of the runtime, and the module's tests, which are in C,
 * use it too.
 *
 * A process has one source. `tick_source_open` and `_close` are called by one thread while no other
 * thread uses the source. `_bind` and `_unbind` act on the calling thread. `_arm` and `_disarm` may
 * be called by any thread, also in signal handlers, and take no lock. All functions leave errno
 * alone.
 *
 * The handler runs on the interrupted thread, on the thread's stack below the red zone. All
 * registers are saved (general, flags, the whole XSAVE area), and errno is kept. The handler may
 * switch to another stack and come back later on the same thread. The handler's code must be
 * outside of all ranges, like all other code that must not be interrupted. If a thread calls such
 * code from inside a range, and the thread must return into the range undisturbed, the thread
 * raises its hold word meanwhile.
 *
 * Functions return 0 or a number, or a negative errno value. tick_source_explain says what the
 * value means here and what the user can do.
 *
 * [tick-1] The store in `_arm` (release) pairs with the exchange in `_disarm` (acquire). One thread
 *          first notes what it asks for and then arms. Another thread first disarms and then looks
 *          at what was asked for. The two never miss each other: if the store comes first, the look
 *          sees the note; if the exchange comes first, the slot stays armed.
 */
#ifndef TICK_SOURCE_H
#define TICK_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "preempt/teff_preempt.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The interrupted code's registers, as the trampoline saved them. If the handler changes them, the
 * changes take effect when the handler returns.
 */
struct tick_frame {
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8;
    uint64_t rdi, rsi, rbp, rdx, rcx, rbx, rax;
    uint64_t flags;
    uint64_t ip;
};

/* Returns the interrupted code's stack pointer. */
static inline const void* tick_interrupted_stack(const struct tick_frame* frame) {
    return (const char*)(frame + 1) + TEFF_PREEMPT_RED_ZONE;
}

/* `extended`: the XSAVE area with the interrupted code's floating-point and vector registers. */
typedef void (*tick_handler)(struct tick_frame* frame, const void* extended);

struct tick_source {
    int fd; /* -1: not open */
    uint32_t slot_count;
    size_t mapped_bytes;
    struct teff_preempt_slot* slots;
};

struct tick_config {
    tick_handler handler;
    uint64_t period_ns; /* raised to the shortest period that the module was loaded with */
    uint32_t slots;     /* the most threads that can be bound at a time */
};

int tick_source_open(struct tick_source* source, const struct tick_config* config);
void tick_source_close(struct tick_source* source);
/* Called in a forked child, where the slots are not mapped. */
void tick_source_forget(struct tick_source* source);
int tick_source_ranges(struct tick_source* source, const struct teff_preempt_range* ranges, uint32_t count);

/* Returns the slot's number. No tick enters the thread while *hold is not 0. */
int tick_source_bind(struct tick_source* source, const uint32_t* hold);
int tick_source_unbind(struct tick_source* source);

/*
 * Something of this priority waits for the slot's thread: the slot ticks until `running` is at
 * least `priority`, or until it is disarmed.
 */
int tick_source_arm(struct tick_source* source, uint32_t slot, uint32_t priority);
void tick_source_disarm(struct tick_source* source, uint32_t slot);

/*
 * Sets the stack on which the calling thread continues: [low, high). The thread may be left when
 * its stack pointer is `low` or more. Both 0: any stack. The thread must be in no range.
 */
void tick_source_set_stack(struct tick_source* source, uint32_t slot, uint64_t low, uint64_t high);

/* Returns what a result of tick_source_open or tick_source_bind means. */
const char* tick_source_explain(int result);

/* The code at which the module enters an interrupted thread: tick_entry_x86_64.S. */
void tick_entry(void);

/*
 * Learns what tick_entry and return_entry (diversions_x86_64.cpp) have to save. Called before the first
 * thread enters there. Returns 0, or a negative errno value.
 */
int tick_learn_state(void);

#ifdef __cplusplus
}
#endif

#endif
