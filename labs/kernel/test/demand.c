// SPDX-License-Identifier: Apache-2.0
//
// Tests that ticks come while something waits for the thread, and that they enter the thread only
// at permitted instructions.

#include "harness.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/rseq.h>

static void pause_ns(uint64_t ns) {
    const uint64_t until = now_ns() + ns;
    while (now_ns() < until)
        spin(10000);
}

static uint64_t all_ticks(void) {
    uint64_t sum = counted();
    for (unsigned int why = 0; why < TEFF_PREEMPT_MISSES; why++)
        sum += missed(why);
    return sum;
}

static void spin_until_idle(void) {
    const uint64_t deadline = now_ns() + 30000000000ULL;
    while (ticking()) {
        spin(10000);
        must(now_ns() < deadline, "the timer is still set");
    }
}

static void open_and_bind(void) {
    open_source(short_period_ns, 1);
    bind_me();
}

static void none_unasked(void) {
    open_and_bind();
    pause_ns(200000000);
    must(all_ticks() == 0, "%lu ticks, and nothing waited", all_ticks());
}

static void none_for_no_higher(void) {
    open_and_bind();
    my_slot()->running = 5;
    must_be(tick_source_arm(&source, me.slot, 5), 0);
    pause_ns(200000000);
    must(all_ticks() == 0, "%lu ticks for a priority that is not higher", all_ticks());
    must(!ticking(), "the timer is set");
    must_be(tick_source_arm(&source, me.slot, 6), 0);
    spin_for(10);
}

static void stops(void) {
    open_and_bind();
    for (int i = 0; i < 50; i++) {
        arm_me();
        spin_for(3);
        disarm_me();
        spin_until_idle();
        const uint64_t before = all_ticks();
        pause_ns(1000000);
        must(all_ticks() == before, "ticks after the end");
    }
}

static void first_at_once(void) {
    open_source(TEFF_PREEMPT_MAX_PERIOD_NS, 1);
    bind_me();
    // A kick by the thread itself would be due while the thread is in the system call. So another
    // thread kicks; see the kick from elsewhere in measure.c.
    arm_me();
    const uint64_t deadline = now_ns() + 200000000;
    while (all_ticks() == 0)
        must(now_ns() < deadline, "no tick long before the period is over");
}

static void* arm_owner(void* argument) {
    for (int i = 0; i < 1000; i++)
        must_be(tick_source_arm(&source, *(uint32_t*)argument, 1), 0);
    return NULL;
}

static void by_another(void) {
    open_and_bind();
    const unsigned long thread = start(arm_owner, &me.slot);
    spin_for(100);
    join(thread);
}

static void held(void) {
    open_and_bind();
    me.hold = 1;
    arm_me();
    spin_until_missed(TEFF_PREEMPT_MISS_HELD, 50);
    must(me.entered == 0, "entered a thread that was held");
    *(volatile uint32_t*)&me.hold = 0;
    spin_for(10);
}

static void hold_unreadable(void) {
    uint32_t* word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *word = 0;
    open_source(short_period_ns, 1);
    must_be(tick_source_bind(&source, word), 0);
    arm_me();
    spin_for(10);
    munmap(word, 4096);
    const uint64_t entered = me.entered;
    spin_until_missed(TEFF_PREEMPT_MISS_HELD, 50);
    must(me.entered == entered, "entered though the hold word cannot be read");
}

static void out_of_range(void) {
    open_and_bind();
    must_be(tick_source_ranges(&source, NULL, 0), 0);
    arm_me();
    spin_until_missed(TEFF_PREEMPT_MISS_RANGE, 50);
    must(me.entered == 0, "entered outside of all ranges");
    set_range_to_preemptible();
    spin_for(10);
}

static void range_ends(void) {
    const uint64_t at = (uint64_t)spin;
    const struct teff_preempt_range around[] = {{at - 64, at}, {at + 64, at + 128}};
    open_and_bind();
    must_be(tick_source_ranges(&source, around, 2), 0);
    arm_me();
    const uint64_t deadline = now_ns() + 100000000;
    while (now_ns() < deadline)
        spin(100000);
    // The loop of spin lies between the two ranges. The ranges contain the end of canary_run, and
    // spin_on, which do not run.
    must(me.entered == 0, "entered at an address just outside of a range");
    const struct teff_preempt_range exact = {at, at + 5};
    must_be(tick_source_ranges(&source, &exact, 1), 0);
    spin_for(10);
}

static void stack_limit(void) {
    open_and_bind();
    my_slot()->stack_limit = (uint64_t)__builtin_frame_address(0);
    arm_me();
    spin_until_missed(TEFF_PREEMPT_MISS_STACK, 50);
    must(me.entered == 0, "entered below the limit of the stack");
    my_slot()->stack_limit = (uint64_t)__builtin_frame_address(0) - 4096;
    spin_for(10);
}

static void stack_top(void) {
    open_and_bind();
    my_slot()->stack_top = (uint64_t)__builtin_frame_address(0) - 4096;
    arm_me();
    spin_until_missed(TEFF_PREEMPT_MISS_STACK, 50);
    must(me.entered == 0, "entered above the top of the stack");
    my_slot()->stack_top = (uint64_t)__builtin_frame_address(0);
    spin_for(10);
}

static void bad_stacks(void) {
    char* pages = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(pages != MAP_FAILED, "no memory");
    memset(pages, 0, 3 * 4096);
    mprotect(pages, 4096, PROT_NONE);
    mprotect(pages + 8192, 4096, PROT_READ);
    const uint64_t sps[] = {
        0,
        8,
        135,
        136,
        (uint64_t)pages + 4096,        // the push would go to a page without access
        (uint64_t)pages + 4096 + 132,  // ... half of it
        (uint64_t)pages + 8192 + 4096, // ... to a page that is read-only
        0x7ffffffff000,                // the end of user space
        0x7ffffffff000 + 136,          // ... just beyond
        0x800000000000,                // not canonical
        0x8000000000000000,
        0xffff800000000000, // the kernel's
        0xffff888000001000,
        0xffffffff81000000,
        0xffffffffffffffff,
    };
    open_and_bind();
    arm_me();
    for (unsigned int i = 0; i < sizeof(sps) / sizeof(*sps); i++) {
        const uint64_t until = missed(TEFF_PREEMPT_MISS_STACK) + 20;
        const uint64_t deadline = now_ns() + 30000000000ULL;
        while (missed(TEFF_PREEMPT_MISS_STACK) < until) {
            me.hold = 0;
            spin_on(sps[i], 100000);
            me.hold = 1;
            must(now_ns() < deadline, "ticks do not find the stack pointer %lx bad", sps[i]);
        }
        must(me.entered == 0, "entered on stack %lx", sps[i]);
    }
    must(pages[4096] == 0 && pages[4095 + 4096] == 0, "something was written");
}

static void in_restartable_sequence(void) {
    void* rseq = (char*)__builtin_thread_pointer() + __rseq_offset;
    must(__rseq_size > 0, "the C library has registered no restartable sequences");
    open_and_bind();
    my_slot()->stack_limit = 0;
    arm_me();
    const uint64_t until = missed(TEFF_PREEMPT_MISS_HELD) + 50;
    const uint64_t deadline = now_ns() + 30000000000ULL;
    me.entered = 0;
    while (missed(TEFF_PREEMPT_MISS_HELD) < until) {
        spin_restartable(rseq, 100000);
        must(now_ns() < deadline, "ticks do not see the sequence");
    }
    // A tick may enter in the few instructions around the sequence.
    must(me.entered < 25, "%lu ticks entered in a restartable sequence", me.entered);
}

static volatile uint64_t traps;

static void on_trap(int number) {
    (void)number;
    traps++;
}

// Like under a debugger, the trap flag is set while the loop runs.
static void single_stepped(void) {
    open_and_bind();
    signal(SIGTRAP, on_trap);
    arm_me();
    const uint64_t deadline = now_ns() + 5000000000ULL;
    while (missed(TEFF_PREEMPT_MISS_HELD) < 20) {
        spin_stepped(500);
        // A tick may enter in the few instructions around the loop.
        must(me.entered < 10, "%lu ticks entered while single-stepped", me.entered);
        must(now_ns() < deadline, "ticks do not see the trap flag; %lu entered in %lu steps", me.entered, traps);
    }
}

const struct check demand_checks[] = {
    {"no tick unasked", none_unasked},
    {"no tick for a priority that is not higher", none_for_no_higher},
    {"ticks end when nothing waits, and start again", stops},
    {"the first tick does not wait for the period", first_at_once},
    {"another thread kicks", by_another},
    {"held: not entered", held},
    {"hold word unmapped while armed: not entered", hold_unreadable},
    {"outside of ranges: not entered", out_of_range},
    {"first and last byte of a range", range_ends},
    {"limit of the stack", stack_limit},
    {"top of the stack", stack_top},
    {"stack pointers of all bad kinds", bad_stacks},
    {"restartable sequence: not entered", in_restartable_sequence},
    {0},
};

const struct check stepped_checks[] = {
    {"single-stepped: not entered", single_stepped},
    {0},
};
