// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * The bound threads. They are found by slot within each process, and by task over all processes,
 * because a thread that opens the device twice must not get two ticks.
 *
 * All functions except kick run under the process's mutex. A thread that ended without unbinding
 * keeps its slot until another thread needs it or the file is closed; its tick has stopped by
 * itself.
 */

#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "teff_preempt_module.h"

static DEFINE_HASHTABLE(by_task, 8);
static DEFINE_SPINLOCK(by_task_lock);

/* Enters `bound` into the table; false if its task is there already. */
static bool claim_task(struct bound* bound) {
    const unsigned long key = (unsigned long)bound->task;
    struct bound* other;
    bool taken = false;

    spin_lock(&by_task_lock);
    hash_for_each_possible(by_task, other, by_task, key) taken |= other->task == bound->task;
    if (!taken) hash_add(by_task, &bound->by_task, key);
    spin_unlock(&by_task_lock);
    return !taken;
}

static void forget_task(struct bound* bound) {
    spin_lock(&by_task_lock);
    hash_del(&bound->by_task);
    spin_unlock(&by_task_lock);
}

static struct bound* bound_at(struct process* process, unsigned int number) {
    return rcu_dereference_protected(process->bound[number], lockdep_is_held(&process->mutex));
}

static void unbind(struct process* process, struct bound* bound) {
    RCU_INIT_POINTER(process->bound[bound->number], NULL);
    tick_stop_for_good(bound);
    WRITE_ONCE(bound->slot->thread, 0);
    forget_task(bound);
    put_task_struct(bound->task);
    kfree_rcu(bound, rcu);
}

void unbind_all(struct process* process) {
    for (unsigned int number = 0; number < process->slots; number++) {
        struct bound* bound = bound_at(process, number);

        if (bound) unbind(process, bound);
    }
}

/* The number of a slot that is free, or whose thread has ended; or an error. */
static int free_slot(struct process* process) {
    for (unsigned int number = 0; number < process->slots; number++)
        if (!bound_at(process, number)) return number;
    for (unsigned int number = 0; number < process->slots; number++) {
        struct bound* bound = bound_at(process, number);

        if (READ_ONCE(bound->task->flags) & PF_EXITING) {
            unbind(process, bound);
            return number;
        }
    }
    return -ENOSPC;
}

static struct teff_preempt_slot* slot_at(struct process* process, unsigned int number) {
    struct teff_preempt_slot* first = page_address(process->pages[number / SLOTS_PER_PAGE]);

    return first + number % SLOTS_PER_PAGE;
}

long bind_current(struct process* process, const struct teff_preempt_bind* wish) {
    const u32 __user* hold = (const u32 __user*)wish->hold;
    struct bound* bound;
    u32 value;
    int number;

    if (wish->flags || wish->hold % sizeof(*hold)) return -EINVAL;
    if (copy_from_user(&value, hold, sizeof(value))) return -EFAULT;
    number = free_slot(process);
    if (number < 0) return number;
    bound = kzalloc(sizeof(*bound), GFP_KERNEL_ACCOUNT);
    if (!bound) return -ENOMEM;

    bound->process = process;
    bound->task = current;
    bound->hold = hold;
    bound->number = number;
    bound->slot = slot_at(process, number);
    if (!claim_task(bound)) {
        kfree(bound);
        return -EBUSY;
    }
    get_task_struct(bound->task);
    tick_init(bound);
    memset(bound->slot, 0, sizeof(*bound->slot));
    bound->slot->thread = task_pid_vnr(current);
    rcu_assign_pointer(process->bound[number], bound);
    return number;
}

long unbind_current(struct process* process) {
    for (unsigned int number = 0; number < process->slots; number++) {
        struct bound* bound = bound_at(process, number);

        if (bound && bound->task == current) {
            unbind(process, bound);
            return 0;
        }
    }
    return -ENOENT;
}

long kick(struct process* process, unsigned long number) {
    struct bound* bound;
    long result = -ENOENT;

    if (number >= TEFF_PREEMPT_MAX_SLOTS) return -EINVAL;
    number = array_index_nospec(number, TEFF_PREEMPT_MAX_SLOTS);
    rcu_read_lock();
    bound = rcu_dereference(process->bound[number]);
    if (bound) {
        tick_start(bound);
        result = 0;
    }
    rcu_read_unlock();
    return result;
}
