// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * The tick of a bound thread: a timer on the processor where the thread runs. Its interrupt makes
 * the thread continue at the process's registered entry.
 *
 *     idle ----kick: call on the thread's processor----> armed ----nothing waits, or the thread ends----> idle
 *                        ^                                 |
 *                        +---the thread runs elsewhere-----+
 *
 * A processor can set only its own timer, so starting a tick sends a call to the thread's
 * processor. If the thread has moved meanwhile, the timer's function notices this and sends the
 * call on to the new processor. If a thread is on no processor, the processor where it ran last
 * gets a timer interrupt at growing intervals, until the thread runs again or nothing waits for it.
 *
 * Everything but tick_start and tick_stop_for_good runs in hard interrupts. User memory is read and
 * written by the functions that fail instead of faulting.
 */

#include <asm/irq_regs.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>

#include "teff_preempt_module.h"

/* The longest interval at which a thread that does not run is looked for: a time slice, more or less. */
#define LOOK_FOR_NS (4 * NSEC_PER_MSEC)

static bool wanted(const struct bound* bound) {
    return READ_ONCE(bound->slot->waiting) > READ_ONCE(bound->slot->running);
}

/* The thread ends, or has another program by now: it will never be entered again. */
static bool gone(const struct bound* bound) {
    return (READ_ONCE(bound->task->flags) & PF_EXITING) || READ_ONCE(bound->task->mm) != bound->process->mm;
}

static bool in_ranges(const struct process* process, unsigned long ip) {
    const struct ranges* ranges;
    bool found = false;

    rcu_read_lock();
    ranges = rcu_dereference(process->ranges);
    for (unsigned int i = 0; ranges && i < ranges->count && !found; i++)
        found = ip >= ranges->range[i].begin && ip < ranges->range[i].end;
    rcu_read_unlock();
    return found;
}

/* Whether the thread is in a restartable sequence: the kernel could not abort that once ip points elsewhere. */
static bool in_restartable(unsigned long ip) {
#ifdef CONFIG_RSEQ
    struct rseq_cs sequence;
    u64 address;

    if (!current->rseq) return false;
    if (copy_from_user_nofault(&address, &current->rseq->rseq_cs, sizeof(address))) return true;
    if (!address) return false;
    if (copy_from_user_nofault(&sequence, (const void __user*)address, sizeof(sequence))) return true;
    return ip - sequence.start_ip < sequence.post_commit_offset;
#else
    return false;
#endif
}

static bool held(const struct bound* bound, const struct pt_regs* regs) {
    u32 hold;

    if (regs->cs != __USER_CS || (regs->flags & X86_EFLAGS_TF) || in_restartable(regs->ip)) return true;
    return copy_from_user_nofault(&hold, bound->hold, sizeof(hold)) || hold;
}

/* Makes the interrupted thread enter; false if its stack does not allow it. */
static bool push_and_enter(const struct bound* bound, struct pt_regs* regs) {
    const unsigned long used = TEFF_PREEMPT_RED_ZONE + sizeof(regs->ip);
    const unsigned long sp = regs->sp - used;
    const u64 top = READ_ONCE(bound->slot->stack_top);

    if (regs->sp < used || sp < READ_ONCE(bound->slot->stack_limit) || (top && regs->sp >= top)) return false;
    if (copy_to_user_nofault((void __user*)sp, &regs->ip, sizeof(regs->ip))) return false;
    regs->sp = sp;
    regs->ip = bound->process->entry;
    return true;
}

#define ENTERED TEFF_PREEMPT_MISSES

/* What a tick does to the thread: ENTERED, or why not. */
static unsigned int try_to_enter(const struct bound* bound) {
    struct pt_regs* regs = get_irq_regs();

    if (current != bound->task) return TEFF_PREEMPT_MISS_ELSEWHERE;
    if (!regs || !user_mode(regs) || regs != task_pt_regs(current)) return TEFF_PREEMPT_MISS_KERNEL;
    if (!in_ranges(bound->process, regs->ip)) return TEFF_PREEMPT_MISS_RANGE;
    if (held(bound, regs)) return TEFF_PREEMPT_MISS_HELD;
    if (!push_and_enter(bound, regs)) return TEFF_PREEMPT_MISS_STACK;
    return ENTERED;
}

static void count(struct bound* bound, unsigned int outcome, u64 times) {
    if (outcome == ENTERED) {
        WRITE_ONCE(bound->slot->due_ns, ktime_to_ns(hrtimer_get_expires(&bound->timer)));
        WRITE_ONCE(bound->slot->entered, bound->entered += times);
    } else {
        WRITE_ONCE(bound->slot->missed[outcome], bound->missed[outcome] += times);
    }
}

static void say_ticking(struct bound* bound, bool armed) {
    bound->armed = armed;
    WRITE_ONCE(bound->slot->ticking, armed);
}

/* Ends the ticking, unless something waits by now: the module's half of the protocol in teff_preempt.h. */
static bool may_end(struct bound* bound) {
    say_ticking(bound, false);
    if (bound->closing || gone(bound)) return true;
    smp_mb();
    if (!wanted(bound)) return true;
    say_ticking(bound, true);
    return false;
}

/* Where the call has to go for the thread to be found, or -1 if it is here or nowhere. */
static int runs_elsewhere(const struct bound* bound) {
    const int cpu = task_cpu(bound->task);

    return cpu != smp_processor_id() && cpu_online(cpu) ? cpu : -1;
}

static void send_call(struct bound* bound, int cpu) {
    if (smp_call_function_single_async(cpu, &bound->call)) {
        /* The processor went offline: the next kick chooses again. */
        WRITE_ONCE(bound->slot->ticking, 0);
        smp_store_release(&bound->call_on_way, false);
    }
}

/* The next tick keeps the rhythm. After a late one it starts anew: the program always gets most of a period. */
static void set_next(struct bound* bound) {
    const u64 periods = hrtimer_forward_now(&bound->timer, ns_to_ktime(bound->interval_ns));

    if (periods <= 1) return;
    count(bound, TEFF_PREEMPT_MISS_LATE, periods - 1);
    hrtimer_set_expires(&bound->timer, ktime_add_ns(ktime_get(), bound->interval_ns));
}

static enum hrtimer_restart on_timer(struct hrtimer* timer) {
    struct bound* bound = container_of(timer, struct bound, timer);
    unsigned int outcome;
    int cpu;

    raw_spin_lock(&bound->lock);
    if (bound->closing || gone(bound) || !wanted(bound)) {
        if (may_end(bound)) goto end;
    }
    outcome = try_to_enter(bound);
    count(bound, outcome, 1);
    if (outcome == TEFF_PREEMPT_MISS_ELSEWHERE) {
        cpu = runs_elsewhere(bound);
        if (cpu >= 0 && !bound->call_on_way) {
            bound->armed = false; /* `ticking` stays: the call sets the timer again */
            WRITE_ONCE(bound->call_on_way, true);
            raw_spin_unlock(&bound->lock);
            send_call(bound, cpu);
            return HRTIMER_NORESTART;
        }
        bound->interval_ns = max_t(u64, bound->process->period_ns, min_t(u64, 2 * bound->interval_ns, LOOK_FOR_NS));
    } else {
        bound->interval_ns = bound->process->period_ns;
    }
    set_next(bound);
    raw_spin_unlock(&bound->lock);
    return HRTIMER_RESTART;

end:
    raw_spin_unlock(&bound->lock);
    return HRTIMER_NORESTART;
}

/*
 * Under the lock: whether the call has to set the timer. A timer that is set stays, so that kicks
 * bring no more ticks than the period allows; but one set far ahead for a thread that did not run
 * is set anew once it does. Not `armed` does not mean that on_timer has returned on its processor:
 * hrtimer_start copes with that.
 */
static bool must_set(struct bound* bound) {
    if (bound->closing || gone(bound)) return false;
    if (!bound->armed) return true;
    return current == bound->task && bound->interval_ns > bound->process->period_ns &&
           hrtimer_try_to_cancel(&bound->timer) >= 0;
}

/*
 * On the processor where the thread was last seen: sets the timer there, to now if the thread runs.
 * Else whoever kicks has most likely taken its place, and is about to sleep: so the first look is
 * soon, and later ones at growing intervals.
 */
static void on_call(void* data) {
    struct bound* bound = data;
    const u64 period_ns = bound->process->period_ns;

    raw_spin_lock(&bound->lock);
    if (must_set(bound)) {
        const u64 delay_ns = current == bound->task ? 0 : min_period_ns;

        say_ticking(bound, true);
        bound->interval_ns = period_ns;
        hrtimer_start(&bound->timer, ktime_add_ns(ktime_get(), delay_ns), HRTIMER_MODE_ABS_PINNED_HARD);
    }
    /* Under the lock, so that a kick which finds the call on its way knows that must_set is still to come. */
    smp_store_release(&bound->call_on_way, false); /* tick_stop_for_good waits for it */
    raw_spin_unlock(&bound->lock);
}

void tick_init(struct bound* bound) {
    raw_spin_lock_init(&bound->lock);
    hrtimer_init(&bound->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
    bound->timer.function = on_timer;
    INIT_CSD(&bound->call, on_call, bound);
}

/* Starts the ticks of a thread, from a system call under rcu_read_lock. */
void tick_start(struct bound* bound) {
    unsigned long flags;
    bool send;
    int cpu;

    raw_spin_lock_irqsave(&bound->lock, flags);
    send = !bound->closing && !gone(bound) && !bound->call_on_way;
    if (send) WRITE_ONCE(bound->call_on_way, true);
    raw_spin_unlock_irqrestore(&bound->lock, flags);
    if (!send) return;
    preempt_disable(); /* no processor goes offline between the choice and the call */
    cpu = task_cpu(bound->task);
    send_call(bound, cpu_online(cpu) ? cpu : smp_processor_id());
    preempt_enable();
}

/* From then on no interrupt uses `bound`, but for the last instructions of one, which a grace period covers. */
void tick_stop_for_good(struct bound* bound) {
    raw_spin_lock_irq(&bound->lock);
    bound->closing = true;
    raw_spin_unlock_irq(&bound->lock);
    hrtimer_cancel(&bound->timer);
    while (smp_load_acquire(&bound->call_on_way))
        cond_resched();
    WRITE_ONCE(bound->slot->ticking, 0);
}
