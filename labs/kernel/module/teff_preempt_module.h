/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The module's own objects.
 *
 *     struct process   one per open file: what SETUP and RANGES said, the slots' pages, the bound threads
 *     struct bound     one per bound thread: its timer, and the call that sets this on the right processor
 *
 * device.c owns the processes, bind.c their bound threads, tick.c what happens in interrupts.
 *
 * Who may touch what. `process->mutex` guards every change of a process and of its list of bound
 * threads, and is taken only in system calls. Interrupts read the process's owner and setup, which
 * never change after a thread was bound; its ranges and bound threads, under RCU; and the slots'
 * pages, which live as long as the process. `bound->lock` guards the states of the timer, and is
 * taken with interrupts off.
 *
 * How a bound thread is removed: unpublish it; set `closing` under its lock (from then on no code
 * sets the timer or sends the call); cancel the timer; wait until a call that was already sent has
 * run; free it after a grace period. The module needs no hook that reports when threads begin or
 * end: the timer compares the interrupted thread with the bound thread. A reference to the bound
 * thread's task_struct ensures that this task_struct is not reused.
 */
#ifndef TEFF_PREEMPT_MODULE_H
#define TEFF_PREEMPT_MODULE_H

#include <linux/hrtimer.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

#include "teff_preempt.h" /* runtime/src/preempt: copied here when the module is built */

#ifdef CONFIG_X86_USER_SHADOW_STACK
#error "This kernel gives programs shadow stacks. An entry would have to push there, too; the module does not know how."
#endif

#define SLOTS_PER_PAGE (PAGE_SIZE / sizeof(struct teff_preempt_slot))
#define MAX_PAGES (TEFF_PREEMPT_MAX_SLOTS / SLOTS_PER_PAGE)

struct ranges {
    struct rcu_head rcu;
    unsigned int count;
    struct teff_preempt_range range[];
};

struct process {
    struct mutex mutex;
    struct mm_struct* mm; /* of the opener; its count is held, its address space is not */
    struct pid* tgid;

    /* From SETUP; page_count 0: not set up. */
    u64 entry;
    u64 period_ns;
    unsigned int slots;
    unsigned int page_count;
    struct page* pages[MAX_PAGES];

    struct ranges __rcu* ranges;
    struct bound __rcu* bound[TEFF_PREEMPT_MAX_SLOTS];
};

struct bound {
    struct process* process;
    struct task_struct* task; /* held */
    const u32 __user* hold;
    struct teff_preempt_slot* slot;
    unsigned int number;
    struct hlist_node by_task; /* in bind.c's table of all bound threads */
    struct rcu_head rcu;

    raw_spinlock_t lock;
    struct hrtimer timer;
    call_single_data_t call;
    u64 interval_ns;  /* to the next tick; more than the period while the thread is off its processor */
    bool armed;       /* the timer is set, or its function has not decided yet */
    bool call_on_way; /* the call was sent, or is about to be */
    bool closing;
    u64 entered;
    u64 missed[TEFF_PREEMPT_MISSES];
};

/* device.c: a parameter of the module */
extern ulong min_period_ns;

/* tick.c */
void tick_init(struct bound* bound);
void tick_start(struct bound* bound);
void tick_stop_for_good(struct bound* bound);

/* bind.c */
long bind_current(struct process* process, const struct teff_preempt_bind* wish);
long unbind_current(struct process* process);
long kick(struct process* process, unsigned long number);
void unbind_all(struct process* process);

#endif
