// SPDX-License-Identifier: Apache-2.0
//
// Tests that the interrupted code keeps its registers, flags, vector and floating-point state and
// red zone, and gets the right results.

#include "harness.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unwind.h>

#define LOOPS 400000

// The flags that a program can set and that do not disturb it: carry, parity, adjust, zero, sign,
// direction, overflow.
static const uint64_t FLAGS[] = {0x0, 0x8d5 & ~0x400, 0x400, 0x801, 0x44, 0xcd5};
#define CHANGEABLE 0xcd5
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static void set_canary(struct canary* canary, unsigned int round) {
    memset(canary, 0, sizeof(*canary));
    for (unsigned int i = 0; i < sizeof(canary->ymm_in); i++)
        canary->ymm_in[i] = (uint8_t)(i * 7 + round);
    canary->flags_in = 0x202 | FLAGS[round % COUNT(FLAGS)];
    canary->x87_in[0] = 3.25 + round;
    canary->x87_in[1] = -1.0 / 3;
    canary->mxcsr_in = 0x1f80 | (round % 4) << 13 | (round % 64);
    canary->cw_in = 0x037f | (round % 4) << 10;
}

static void check_canary(const struct canary* canary) {
    for (unsigned int i = 0; i < 14; i++) {
        const uint64_t pattern = 0x0101010101010101ULL * (0xa0 + i);
        must(canary->gpr_out[i] == pattern, "general register %u is %lx, not %lx", i, canary->gpr_out[i], pattern);
    }
    must(canary->gpr_out[14] == canary->gpr_out[15], "the stack pointer changed");
    for (unsigned int i = 0; i < 16; i++) {
        must(canary->red_out[i] == 0x5ed00001 + i, "%u bytes below sp: %lx", 8 * i + 8, canary->red_out[i]);
    }
    must((canary->flags_in & CHANGEABLE) == (canary->flags_out & CHANGEABLE), "flags %lx, not %lx", canary->flags_out,
         canary->flags_in);
    must(!memcmp(canary->ymm_in, canary->ymm_out, sizeof(canary->ymm_in)), "vector registers changed");
    must(!memcmp(canary->x87_in, canary->x87_out, sizeof(canary->x87_in)), "the x87 stack changed");
    must(canary->mxcsr_in == canary->mxcsr_out, "MXCSR %x, not %x", canary->mxcsr_out, canary->mxcsr_in);
    must(canary->cw_in == canary->cw_out, "x87 control word %x, not %x", canary->cw_out, canary->cw_in);
}

static void canaries_until(uint64_t entries) {
    struct canary canary;
    for (unsigned int round = 0; me.entered < entries; round++) {
        set_canary(&canary, round);
        canary_run(&canary, LOOPS);
        check_canary(&canary);
    }
}

static void canary_alone(void) {
    struct canary canary;
    for (unsigned int round = 0; round < 12; round++) {
        set_canary(&canary, round);
        canary_run(&canary, 1000);
        check_canary(&canary);
    }
}

// Checks that the canary detects a changed register.
static void break_frame(struct tick_frame* frame) { frame->r13 ^= 1; }

static void canary_can_see(void) {
    struct canary canary;
    open_source(short_period_ns, 1);
    bind_me();
    me.on_entry = break_frame;
    for (unsigned int round = 0; round < 100; round++) {
        set_canary(&canary, round);
        disarm_me();
        while (ticking())
            spin(100);
        me.entered = 0;
        arm_me();
        canary_run(&canary, LOOPS);
        if (me.entered % 2) {
            must(canary.gpr_out[11] != 0x0101010101010101ULL * 0xab, "a register changed, and the canary kept still");
            return;
        }
    }
    must(false, "no round with an odd number of ticks");
}

static void one_thread(void) {
    open_source(short_period_ns, 1);
    bind_me();
    arm_me();
    canaries_until(ticks_wanted / 10);
    printf("  %lu ticks entered\n", me.entered);
}

static void report(uint64_t began) {
    printf(
        "  a thread: %lu ticks entered in %.1f s; missed: kernel %lu, elsewhere %lu, range %lu, held %lu, stack %lu, "
        "late %lu\n",
        counted(), (double)(now_ns() - began) / 1e9, missed(TEFF_PREEMPT_MISS_KERNEL),
        missed(TEFF_PREEMPT_MISS_ELSEWHERE), missed(TEFF_PREEMPT_MISS_RANGE), missed(TEFF_PREEMPT_MISS_HELD),
        missed(TEFF_PREEMPT_MISS_STACK), missed(TEFF_PREEMPT_MISS_LATE));
}

static void* many_body(void* argument) {
    const uint64_t began = now_ns();
    bind_me();
    arm_me();
    canaries_until(*(uint64_t*)argument);
    must(me.entered == counted(), "%lu entered, %lu counted", me.entered, counted());
    report(began);
    return NULL;
}

static void many_threads(void) {
    uint64_t each = ticks_wanted / 2;
    unsigned long threads[2];
    open_source(short_period_ns, 2);
    for (int i = 0; i < 2; i++)
        threads[i] = start(many_body, &each);
    for (int i = 0; i < 2; i++)
        join(threads[i]);
}

static void results(void) {
    const uint64_t rounds = 100000;
    uint64_t wanted[8];
    for (uint64_t i = 0; i < 8; i++)
        wanted[i] = mill(i + 1, rounds);
    open_source(short_period_ns, 1);
    bind_me();
    arm_me();
    for (uint64_t i = 0; me.entered < ticks_wanted / 50; i++) {
        must(mill(i % 8 + 1, rounds) == wanted[i % 8], "a wrong result after %lu ticks", me.entered);
    }
}

// The handler acts like preemption: it runs more urgent code on a separate stack, and this code is
// interrupted in turn.
#define STACK_BYTES 262144
static char* stacks[3];
static unsigned int depth, deepest;
static uint64_t nested_wanted[3];

static void run_urgent(void* argument) {
    (void)argument;
    must(mill(depth, 2000) == nested_wanted[depth], "a wrong result at depth %u", depth);
}

static void go_deeper(struct tick_frame* frame) {
    (void)frame;
    if (depth == 2) return;
    depth++;
    if (depth > deepest) deepest = depth;
    my_slot()->running = depth; // of 3 that wait
    call_on(stacks[depth] + STACK_BYTES, run_urgent, NULL);
    depth--;
    my_slot()->running = depth;
}

static void nested(void) {
    for (unsigned int i = 0; i < 3; i++) {
        stacks[i] = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        must(stacks[i] != MAP_FAILED, "no stack");
        nested_wanted[i] = mill(i, 2000);
    }
    open_source(short_period_ns, 1);
    bind_me();
    me.on_entry = go_deeper;
    must_be(tick_source_arm(&source, me.slot, 3), 0);
    const uint64_t deadline = now_ns() + 30000000000ULL;
    while (deepest < 2 || me.entered < 300) {
        canaries_until(me.entered + 1);
        must(now_ns() < deadline, "depth %u only", deepest);
    }
}

static bool seen_below;

static _Unwind_Reason_Code look(struct _Unwind_Context* context, void* argument) {
    (void)argument;
    const char* ip = (const char*)_Unwind_GetIP(context);
    seen_below |= ip >= __start_preemptible && ip < __stop_preemptible;
    return _URC_NO_REASON;
}

static void walk(struct tick_frame* frame) {
    (void)frame;
    _Unwind_Backtrace(look, NULL);
}

static void unwinds(void) {
    open_source(short_period_ns, 1);
    bind_me();
    me.on_entry = walk;
    arm_me();
    for (int i = 0; !seen_below && i < 100; i++)
        mill(1, 10000);
    must(me.entered > 0, "no tick");
    must(seen_below, "the interrupted function is not found from the handler");
}

static uint64_t signals;

static void on_signal(int number) {
    (void)number;
    signals++;
    scramble();
}

static timer_t signal_timer(long period_ns) {
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGURG};
    event._sigev_un._tid = gettid();
    const struct itimerspec spec = {{0, period_ns}, {0, period_ns}};
    signal(SIGURG, on_signal);
    must(!timer_create(CLOCK_MONOTONIC, &event, &timer) && !timer_settime(timer, 0, &spec, NULL), "no timer");
    return timer;
}

static void with_signals(void) {
    open_source(short_period_ns, 1);
    bind_me();
    arm_me();
    timer_t timer = signal_timer(70000);
    canaries_until(ticks_wanted / 20);
    timer_delete(timer);
    must(signals > 0, "no signal came");
    printf("  %lu ticks, %lu signals\n", me.entered, signals);
}

static void system_calls_in_range(void) {
    open_source(short_period_ns, 1);
    bind_me();
    arm_me();
    const uint64_t pid = (uint64_t)getpid();
    const uint64_t deadline = now_ns() + 60000000000ULL;
    while (missed(TEFF_PREEMPT_MISS_KERNEL) < 20 || me.entered < 100) {
        must(spin_in_kernel(1000, SYS_getpid) == 1000 * pid, "a system call gave a wrong result");
        must(now_ns() < deadline, "%lu ticks in the kernel, %lu entered", missed(TEFF_PREEMPT_MISS_KERNEL), me.entered);
    }
}

const struct check intact_checks[] = {
    {"the canary is quiet without ticks", canary_alone},
    {"the canary sees a changed register", canary_can_see},
    {"one thread: all registers, flags, x87, SSE, AVX, red zone", one_thread},
    {"two threads: the same, many times", many_threads},
    {"compiled code: results", results},
    {"handlers that switch stacks, interrupted in turn", nested},
    {"unwinding from the handler finds the interrupted function", unwinds},
    {"ticks and signals together", with_signals},
    {"system calls in the range", system_calls_in_range},
    {0},
};
