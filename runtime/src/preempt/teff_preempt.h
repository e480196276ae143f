/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR Apache-2.0 */
/*
 * The interface of /dev/teff_preempt: its calls, and the memory that it shares with the process
 * that opened it.
 *
 * The device gives each bound thread a tick of its own: a timer on the processor where the thread
 * runs. The timer ticks only while the thread's slot says `waiting > running`: a task of priority
 * `waiting` is ready, and the thread runs a task of priority `running`. A tick that finds the
 * thread in the process's own code, in a registered range and not held, makes it enter the
 * registered address:
 *
 *     before the tick           at the entry
 *
 *     sp -> ...                 sp + 136 -> ...
 *           red zone, 128 B     sp + 8   -> red zone, untouched
 *                               sp       -> the interrupted instruction's address
 *
 * All registers except sp and ip are those of the interrupted code. `ret $128` at the end returns
 * to that code.
 *
 * Order of the calls: OPEN, then SETUP once, then mmap of the slots at offset 0, RANGES whenever
 * they change, and in each thread BIND. All of them act on the process that opened the device and
 * are refused to any other (EPERM), also to one that inherited the file. The mapping is not
 * inherited either. All ticking stops when the last reference to the file is dropped; a mapping
 * counts as a reference.
 *
 * How ticks start and stop, without losing one. A thread W that makes something ready for a slot
 * does
 *
 *     slot->waiting = priority;  full fence;  if (!slot->ticking) ioctl(KICK, number of the slot);
 *
 * The module, before it lets a timer stop, does: ticking = 0; full fence; is waiting > running?
 * then go on. So either W sees the 0 and kicks, or the module sees W's `waiting`. The first tick
 * after a kick is due at once, or after the module's shortest period if the thread is not on its
 * processor; each further one after the period.
 */
#ifndef TEFF_PREEMPT_H
#define TEFF_PREEMPT_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Raised by a change that breaks programs; INFO tells the module's. */
#define TEFF_PREEMPT_ABI 2

#define TEFF_PREEMPT_DEVICE "/dev/teff_preempt"

/* Bytes below the stack pointer that belong to the interrupted function; skipped, then kept. */
#define TEFF_PREEMPT_RED_ZONE 128

#define TEFF_PREEMPT_MAX_SLOTS 1024
#define TEFF_PREEMPT_MAX_RANGES 64
#define TEFF_PREEMPT_MAX_PERIOD_NS 1000000000ULL

struct teff_preempt_info {
    __u32 abi;
    __u32 max_slots;
    __u64 min_period_ns; /* set when the module is loaded */
};

/* Once for each open file. */
struct teff_preempt_setup {
    __u64 entry;     /* where an interrupted thread enters: executable, and in no range */
    __u64 period_ns; /* min_period_ns to TEFF_PREEMPT_MAX_PERIOD_NS */
    __u32 slots;     /* 1 to TEFF_PREEMPT_MAX_SLOTS */
    __u32 flags;     /* 0 */
};

/* Code where a tick may enter: from begin to before end. */
struct teff_preempt_range {
    __u64 begin;
    __u64 end;
};

/* Replaces all ranges. None: no tick enters anywhere. */
struct teff_preempt_ranges {
    __u64 ranges; /* address of an array of struct teff_preempt_range */
    __u32 count;  /* 0 to TEFF_PREEMPT_MAX_RANGES */
    __u32 flags;  /* 0 */
};

/* Binds the calling thread; the call returns the number of its slot. */
struct teff_preempt_bind {
    __u64 hold;  /* address of a __u32, a multiple of 4: while it is not 0 (or cannot be read) no tick enters */
    __u64 flags; /* 0 */
};

#define TEFF_PREEMPT_INFO _IOR(0xE7, 0, struct teff_preempt_info)
#define TEFF_PREEMPT_SETUP _IOW(0xE7, 1, struct teff_preempt_setup)
#define TEFF_PREEMPT_RANGES _IOW(0xE7, 2, struct teff_preempt_ranges)
#define TEFF_PREEMPT_BIND _IOW(0xE7, 3, struct teff_preempt_bind)
#define TEFF_PREEMPT_UNBIND _IO(0xE7, 4) /* the calling thread; its slot may then be another's */
#define TEFF_PREEMPT_KICK _IO(0xE7, 5)   /* argument: number of the slot; any thread of the process */

/* Why a tick did not enter. Each is tried again one period later, for as long as `waiting > running`. */
enum teff_preempt_miss {
    TEFF_PREEMPT_MISS_KERNEL = 0,    /* the thread was in the kernel */
    TEFF_PREEMPT_MISS_ELSEWHERE = 1, /* the thread was not on this processor: it waits its turn, sleeps, or has moved */
    TEFF_PREEMPT_MISS_RANGE = 2,     /* outside of all ranges */
    TEFF_PREEMPT_MISS_HELD = 3,      /* held, in a restartable sequence, single-stepped, or in 32-bit code */
    TEFF_PREEMPT_MISS_STACK = 4,     /* another stack, no room, or the stack's page is not there or not writable */
    TEFF_PREEMPT_MISS_LATE = 5,      /* whole periods that went by before the timer's interrupt came */
    TEFF_PREEMPT_MISSES = 6
};

/* One per bound thread, 256 bytes each, from the start of the mapping. */
struct teff_preempt_slot {
    /* Written by the process, any thread of it, and read by the module at each tick. */
    __u32 waiting;     /* the highest priority that waits for this thread; 0: nothing does */
    __u32 running;     /* the priority of what the thread runs */
    __u64 stack_limit; /* the lowest stack pointer that the interrupted thread may be left with; 0: any */
    __u64 stack_top;   /* the interrupted stack pointer has to be below this; 0: any */
    __u64 reserved_a[5];

    /* Written by the module, which never reads it back. */
    __u32 ticking; /* whether the timer is set */
    __u32 thread;  /* id of the bound thread, 0 if the slot is free */
    __u64 due_ns;  /* when the last tick that entered was due, CLOCK_MONOTONIC */
    __u64 reserved_b[6];

    __u64 entered; /* ticks that entered */
    __u64 missed[TEFF_PREEMPT_MISSES];
    __u64 reserved_c[9];
};

#endif
