// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * The device file: opening and closing, its calls, its mapping.
 *
 * An open file acts on the process that opened it, and is useless to any other process: to a child
 * that inherited it, to a process that got it through a socket, and to the same process after exec,
 * because after exec the process has another address space. This file checks what teff_preempt.h
 * requires of each call; bind.c and tick.c rely on these checks.
 */

#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "teff_preempt_module.h"

ulong min_period_ns = 10000;
module_param(min_period_ns, ulong, 0444);
MODULE_PARM_DESC(min_period_ns, "shortest period of a tick that a process may ask for, in nanoseconds");

static bool is_owner(const struct process* process) {
    return current->mm == process->mm && task_tgid(current) == process->tgid;
}

static int device_open(struct inode* inode, struct file* file) {
    struct process* process;

    if (!current->mm) return -EPERM;
    process = kzalloc(sizeof(*process), GFP_KERNEL_ACCOUNT);
    if (!process) return -ENOMEM;
    mutex_init(&process->mutex);
    process->mm = current->mm;
    mmgrab(process->mm);
    process->tgid = get_pid(task_tgid(current));
    file->private_data = process;
    return nonseekable_open(inode, file);
}

static void free_pages_of(struct process* process, unsigned int count) {
    while (count)
        __free_page(process->pages[--count]);
}

static int device_release(struct inode* inode, struct file* file) {
    struct process* process = file->private_data;

    mutex_lock(&process->mutex); /* unbind_all asserts it; nobody else is left to take it */
    unbind_all(process);
    mutex_unlock(&process->mutex);
    kfree(rcu_dereference_protected(process->ranges, true));
    free_pages_of(process, process->page_count);
    put_pid(process->tgid);
    mmdrop(process->mm);
    kfree(process);
    return 0;
}

static long do_info(void __user* argument) {
    const struct teff_preempt_info info = {
        .abi = TEFF_PREEMPT_ABI,
        .max_slots = TEFF_PREEMPT_MAX_SLOTS,
        .min_period_ns = min_period_ns,
    };

    return copy_to_user(argument, &info, sizeof(info)) ? -EFAULT : 0;
}

/* Finds mistakes early. The process may unmap the entry later: it then faults as after any jump into nothing. */
static bool is_executable(u64 address) {
    struct vm_area_struct* area;
    bool found;

    if (address >= TASK_SIZE_MAX) return false;
    mmap_read_lock(current->mm);
    area = find_vma(current->mm, address);
    found = area && area->vm_start <= address && (area->vm_flags & VM_EXEC);
    mmap_read_unlock(current->mm);
    return found;
}

static long do_setup(struct process* process, const void __user* argument) {
    struct teff_preempt_setup setup;
    unsigned int count;

    if (copy_from_user(&setup, argument, sizeof(setup))) return -EFAULT;
    if (process->page_count) return -EBUSY;
    if (setup.flags || setup.slots < 1 || setup.slots > TEFF_PREEMPT_MAX_SLOTS) return -EINVAL;
    if (setup.period_ns < min_period_ns || setup.period_ns > TEFF_PREEMPT_MAX_PERIOD_NS) return -EINVAL;
    if (!is_executable(setup.entry)) return -EFAULT;

    for (count = 0; count < DIV_ROUND_UP(setup.slots, SLOTS_PER_PAGE); count++) {
        process->pages[count] = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
        if (!process->pages[count]) {
            free_pages_of(process, count);
            return -ENOMEM;
        }
    }
    process->entry = setup.entry;
    process->period_ns = setup.period_ns;
    process->slots = setup.slots;
    smp_store_release(&process->page_count, count); /* device_mmap reads it without the mutex */
    return 0;
}

static bool is_good_range(const struct process* process, const struct teff_preempt_range* range) {
    const bool has_entry = process->entry >= range->begin && process->entry < range->end;

    return range->begin < range->end && range->end <= TASK_SIZE_MAX && !has_entry;
}

static long do_ranges(struct process* process, const void __user* argument) {
    struct teff_preempt_ranges wish;
    struct ranges *ranges, *old;
    size_t bytes;

    if (copy_from_user(&wish, argument, sizeof(wish))) return -EFAULT;
    if (wish.flags || wish.count > TEFF_PREEMPT_MAX_RANGES) return -EINVAL;
    ranges = kzalloc(struct_size(ranges, range, wish.count), GFP_KERNEL_ACCOUNT);
    if (!ranges) return -ENOMEM;

    bytes = wish.count * sizeof(*ranges->range);
    if (copy_from_user(ranges->range, (const void __user*)wish.ranges, bytes)) {
        kfree(ranges);
        return -EFAULT;
    }
    for (; ranges->count < wish.count; ranges->count++) {
        if (!is_good_range(process, &ranges->range[ranges->count])) {
            kfree(ranges);
            return -EINVAL;
        }
    }
    old = rcu_replace_pointer(process->ranges, ranges, lockdep_is_held(&process->mutex));
    if (old) kfree_rcu(old, rcu);
    return 0;
}

static long do_bind(struct process* process, const void __user* argument) {
    struct teff_preempt_bind wish;

    if (copy_from_user(&wish, argument, sizeof(wish))) return -EFAULT;
    return bind_current(process, &wish);
}

static long locked_ioctl(struct process* process, unsigned int command, void __user* argument) {
    if (command == TEFF_PREEMPT_SETUP) return do_setup(process, argument);
    if (!process->page_count) return -ENXIO; /* what follows needs a setup */
    switch (command) {
    case TEFF_PREEMPT_RANGES:
        return do_ranges(process, argument);
    case TEFF_PREEMPT_BIND:
        return do_bind(process, argument);
    case TEFF_PREEMPT_UNBIND:
        return unbind_current(process);
    default:
        return -ENOTTY;
    }
}

static long device_ioctl(struct file* file, unsigned int command, unsigned long argument) {
    struct process* process = file->private_data;
    long result;

    if (command == TEFF_PREEMPT_INFO) return do_info((void __user*)argument);
    if (!is_owner(process)) return -EPERM;
    if (command == TEFF_PREEMPT_KICK) return kick(process, argument);
    if (mutex_lock_interruptible(&process->mutex)) return -ERESTARTSYS;
    result = locked_ioctl(process, command, (void __user*)argument);
    mutex_unlock(&process->mutex);
    return result;
}

static int device_mmap(struct file* file, struct vm_area_struct* area) {
    struct process* process = file->private_data;
    unsigned int count;

    if (!is_owner(process)) return -EPERM;
    /* The mmap lock is held, which comes after the mutex. A setup elsewhere changes the count once, from 0. */
    count = smp_load_acquire(&process->page_count);
    if (!count) return -ENXIO;
    if (area->vm_pgoff || vma_pages(area) != count || !(area->vm_flags & VM_SHARED)) return -EINVAL;
    area->vm_flags |= VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP;
    return vm_map_pages(area, process->pages, count);
}

static const struct file_operations operations = {
    .owner = THIS_MODULE, /* an open file keeps the module from being unloaded */
    .open = device_open,
    .release = device_release,
    .unlocked_ioctl = device_ioctl,
    .mmap = device_mmap,
};

static struct miscdevice device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "teff_preempt",
    .fops = &operations,
    .mode = 0666,
};

static int __init teff_preempt_init(void) {
    BUILD_BUG_ON(sizeof(struct teff_preempt_slot) != 256);
    if (min_period_ns < 1000 || min_period_ns > TEFF_PREEMPT_MAX_PERIOD_NS) {
        pr_err("teff_preempt: min_period_ns=%lu is not between 1000 and %llu; load with another value\n", min_period_ns,
               TEFF_PREEMPT_MAX_PERIOD_NS);
        return -EINVAL;
    }
    return misc_register(&device);
}

static void __exit teff_preempt_exit(void) {
    misc_deregister(&device);
    synchronize_rcu(); /* the last instructions of an interrupt, see tick_stop_for_good */
}

module_init(teff_preempt_init);
module_exit(teff_preempt_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("ticks for threads of Teff, an OpenMP runtime: another source of preemption");
