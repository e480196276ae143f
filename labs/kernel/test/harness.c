// SPDX-License-Identifier: Apache-2.0

#include "harness.h"

#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

_Thread_local struct worker me;
struct tick_source source = {.fd = -1};
uint64_t ticks_wanted = 1000000;
uint64_t short_period_ns = 20000;

#define SPIN 20000
#define PATIENCE_NS 60000000000ULL

void fail(const char* file, int line, const char* format, ...) {
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    const char* name = strrchr(file, '/');
    printf("  %s:%d: %s\n", name ? name + 1 : file, line, text);
    fflush(stdout);
    _exit(1);
}

void handler(struct tick_frame* frame, const void* extended) {
    (void)extended;
    me.entered++;
    if (me.on_entry) {
        me.on_entry(frame);
    } else {
        scramble();
    }
}

uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void set_range_to_preemptible(void) {
    const struct teff_preempt_range range = {(uint64_t)__start_preemptible, (uint64_t)__stop_preemptible};
    must_be(tick_source_ranges(&source, &range, 1), 0);
}

void open_source(uint64_t period_ns, uint32_t slots) {
    const struct tick_config config = {.handler = handler, .period_ns = period_ns, .slots = slots};
    const int result = tick_source_open(&source, &config);
    must(result == 0, "open: %d, %s", result, tick_source_explain(result));
    set_range_to_preemptible();
}

void bind_me(void) {
    const int slot = tick_source_bind(&source, &me.hold);
    must(slot >= 0, "bind: %d, %s", slot, tick_source_explain(slot));
    me.slot = (uint32_t)slot;
    me.entered = 0;
}

volatile struct teff_preempt_slot* my_slot(void) { return &source.slots[me.slot]; }

uint64_t counted(void) { return my_slot()->entered; }

bool ticking(void) { return my_slot()->ticking; }

void arm_me(void) { must_be(tick_source_arm(&source, me.slot, 1), 0); }

void disarm_me(void) { tick_source_disarm(&source, me.slot); }

void spin_for(uint64_t entries) {
    const uint64_t until = me.entered + entries;
    const uint64_t deadline = now_ns() + PATIENCE_NS;
    while (*(volatile uint64_t*)&me.entered < until) {
        spin(SPIN);
        must(now_ns() < deadline, "%lu of %lu ticks entered", me.entered + entries - until, entries);
    }
}

uint64_t missed(unsigned int why) { return my_slot()->missed[why]; }

void spin_until_missed(unsigned int why, uint64_t more) {
    const uint64_t until = missed(why) + more;
    const uint64_t deadline = now_ns() + PATIENCE_NS;
    while (missed(why) < until) {
        spin(SPIN);
        must(now_ns() < deadline, "ticks are not missed for reason %u", why);
    }
}

unsigned long start(thread_body body, void* argument) {
    pthread_t thread;
    must(pthread_create(&thread, NULL, body, argument) == 0, "no thread");
    return thread;
}

void join(unsigned long thread) {
    void* result = NULL;
    must(pthread_join(thread, &result) == 0 && !result, "a thread failed");
}

int in_child(void (*function)(void)) {
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        function();
        fflush(stdout);
        _exit(0);
    }
    must(child > 0 && waitpid(child, &status, 0) == child, "no child");
    return status;
}
