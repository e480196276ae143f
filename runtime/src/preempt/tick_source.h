/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user's side of /dev/teff_preempt: opens it, binds threads, starts and stops their ticks. It
 * knows nothing else of the runtime, and the module's tests, which are in C, use it too.
 *
 * One source per process. `tick_source_open` and `_close` are for one thread while no other uses
 * the source; `_bind` and `_unbind` act on the calling thread; `_arm` and `_disarm` are for any
 * thread, signal handlers too, and take no lock. All leave errno alone. The handler runs on the interrupted thread, on its
 * stack below the red zone, with all registers saved (general, flags, the whole XSAVE area) and
 * errno kept. It may switch to another stack and come back later on the same thread. It must be
 * outside of all ranges, like everything else that must not be interrupted; a thread that calls
 * such code from inside a range and has to come back there undisturbed raises its hold word
 * meanwhile.
 *
 * Functions return 0 or a number, or a negative errno; tick_source_explain says what it means here
 * and what to do.
 *
 * [tick-1] The store in `_arm` (release) pairs with the exchange in `_disarm` (acquire). Who first
 *          notes what he asks for and then arms, and who first disarms and then looks at what was
 *          asked for, never miss each other: if the store comes first, the look sees the note; if
 *          the exchange does, the slot stays armed.
 */
#ifndef TICK_SOURCE_H
#define TICK_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "teff_preempt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The interrupted code's registers, as the trampoline saved them. Changes reach it when the handler returns. */
struct tick_frame {
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8;
    uint64_t rdi, rsi, rbp, rdx, rcx, rbx, rax;
    uint64_t flags;
    uint64_t ip;
};

/* The interrupted code's stack pointer. */
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
    uint64_t period_ns; /* a module that was loaded with a longer shortest period has that */
    uint32_t slots;     /* threads that can be bound at a time */
};

int tick_source_open(struct tick_source* source, const struct tick_config* config);
void tick_source_close(struct tick_source* source);
/* In a forked child, to which the slots are not mapped. */
void tick_source_forget(struct tick_source* source);
int tick_source_ranges(struct tick_source* source, const struct teff_preempt_range* ranges, uint32_t count);

/* Returns the slot's number. While *hold is not 0, no tick enters. */
int tick_source_bind(struct tick_source* source, const uint32_t* hold);
int tick_source_unbind(struct tick_source* source);

/* Something of this priority waits for the slot's thread: ticks until `running` is no less, or until disarmed. */
int tick_source_arm(struct tick_source* source, uint32_t slot, uint32_t priority);
void tick_source_disarm(struct tick_source* source, uint32_t slot);

/*
 * Of the calling thread, which is in no range: the stack on which it goes on, [low, high), of which
 * it may be left with `low` or more. Both 0: any.
 */
void tick_source_set_stack(struct tick_source* source, uint32_t slot, uint64_t low, uint64_t high);

/* What a result of tick_source_open or _bind means. */
const char* tick_source_explain(int result);

/* Where an interrupted thread enters: tick_entry_x86_64.S. */
void tick_entry(void);

#ifdef __cplusplus
}
#endif

#endif
