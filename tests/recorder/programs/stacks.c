// SPDX-License-Identifier: Apache-2.0
// Spends processor time in functions that call each other, with known shares.
//
//     stacks serial MS    in a serial part: outer spends 4 parts, of these middle 2, of these inner 1
//     stacks task MS      the same in a task
//     stacks loop MS      the same in the chunks of a loop
//     stacks deep MS      in a serial part: a recursion, 200 calls deep
//     stacks library MS   the same as serial, in a library that is loaded at run time
//     stacks reload MS    the same in two libraries, which are loaded in turn at the same address
//     stacks unload MS    the threads of a region load and unload the two libraries, and create tasks
//     stacks busy MS      tasks that take memory, with signals of a timer on an alternate stack;
//                         prints a sum, and how often a sleep of 1 ms did not return 0
//     stacks small MS     in a serial part, on a thread whose alternate stack has no space for a
//                         handler
//     stacks register MS  code that uses the stack pointer as one more register, beside an alternate
//                         stack; prints how often it ran
//     stacks handler MS   a handler for the signal of the samples is set in a serial part; prints
//                         how often it ran for a signal that the program had sent
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "work.h"

#define PART __attribute__((noipa))

static volatile double sum;

PART void burn(long steps) {
    for (long i = 0; i < steps; ++i)
        sum = sum * 0.5 + 1.0;
}

PART void inner(long part) {
    burn(part);
    sum += 1;
}

PART void middle(long part) {
    inner(part);
    burn(part);
    sum += 1;
}

PART void outer(long part) {
    middle(part);
    burn(2 * part);
    sum += 1;
}

PART void deeper(int depth, long part) {
    if (depth > 0) deeper(depth - 1, part);
    else burn(part);
    sum += 1;
}

#ifndef LIBRARY

static void empty_region(void) {
#pragma omp parallel num_threads(2)
    CHECK(omp_get_num_threads() == 2);
}

static long steps_of_ms(void) {
    struct timespec begin, end;
    const long steps = 4000000;
    burn(steps);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    burn(steps);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    const double ns = (double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec);
    return (long)(1e6 * (double)steps / ns);
}

static void serial(void (*work)(long), long part) {
    empty_region();
    work(part);
    empty_region();
}

static void recursion(long part) { deeper(200, 4 * part); }

static void in_library(long part) {
    void* const library = dlopen(getenv("STACKS_LIBRARY"), RTLD_NOW);
    CHECK(library != NULL);
    void (*work)(long);
    *(void**)&work = dlsym(library, "outer");
    serial(work, part);
}

enum { RELOADS = 100 };

static void in_turn(long part) {
    const char* const libraries[] = {getenv("STACKS_LIBRARY"), getenv("STACKS_OTHER_LIBRARY")};
    empty_region();
    for (int i = 0; i < RELOADS; ++i) {
        void* const library = dlopen(libraries[i % 2], RTLD_NOW);
        CHECK(library != NULL);
        void (*work)(long);
        *(void**)&work = dlsym(library, "outer");
        work(part / RELOADS);
        dlclose(library);
    }
    empty_region();
}

static void unload(int ms) {
#pragma omp parallel num_threads(4)
    {
        const char* const name = getenv(omp_get_thread_num() % 2 == 0 ? "STACKS_LIBRARY" : "STACKS_OTHER_LIBRARY");
        const double end = omp_get_wtime() + ms / 1000.0;
        while (omp_get_wtime() < end) {
            void* const library = dlopen(name, RTLD_NOW);
            CHECK(library != NULL);
            void (*work)(long);
            *(void**)&work = dlsym(library, "outer");
            work(2000);
            dlclose(library);
#pragma omp task
            burn(1);
        }
    }
}

static volatile sig_atomic_t alarms, others;

static void on_alarm(int signal) {
    (void)signal;
    ++alarms;
}

static void on_other(int signal, siginfo_t* info, void* context) {
    (void)signal, (void)context;
    if (info->si_code == SI_TKILL || info->si_code == SI_USER) ++others;
}

static int failed_sleeps;

static void busy(int ms) {
    static char stack[1 << 16];
    const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    CHECK(sigaltstack(&alternate, NULL) == 0);
    const struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_ONSTACK | SA_RESTART};
    CHECK(sigaction(SIGVTALRM, &action, NULL) == 0);
    const struct itimerval every = {{0, 1000}, {0, 1000}};
    CHECK(setitimer(ITIMER_VIRTUAL, &every, NULL) == 0);
    long total = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int i = 0; i < ms * 20; ++i) {
#pragma omp task untied shared(total, failed_sleeps)
        {
            char* const memory = malloc(1000 + (size_t)i);
            memset(memory, 1, 1000);
#pragma omp taskyield
            burn(2000);
#pragma omp atomic
            total += memory[i % 1000];
            free(memory);
            if (i % 200 == 0) {
                const struct timespec time = {0, 1000000};
                if (nanosleep(&time, NULL) != 0)
#pragma omp atomic
                    ++failed_sleeps;
            }
        }
    }
    const struct itimerval never = {{0, 0}, {0, 0}};
    CHECK(setitimer(ITIMER_VIRTUAL, &never, NULL) == 0);
    CHECK(total == ms * 20L);
    printf("%ld\n", total);
}

// (steps, the register's value)
__attribute__((naked)) PART void without_stack(long, long) {
    __asm__("mov %rsp, %rax\n"
            "mov %rsi, %rsp\n"
            "1: dec %rdi\n"
            "jnz 1b\n"
            "mov %rax, %rsp\n"
            "ret");
}

static void stack_register(long part) {
    static char stack[1 << 16];
    const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    CHECK(sigaltstack(&alternate, NULL) == 0);
    const long values[] = {0x1230, -16, (long)0x8000000000000010};
    empty_region();
    for (int i = 0; i < 3; ++i)
        without_stack(4 * part, values[i]);
    empty_region();
    puts("3");
}

static void small(long part) {
    static char stack[2048];
    const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    CHECK(sigaltstack(&alternate, NULL) == 0);
    serial(outer, part);
}

static void handler(long part) {
    empty_region();
    outer(part);
    const struct sigaction action = {.sa_sigaction = on_other, .sa_flags = SA_SIGINFO};
    CHECK(sigaction(SIGURG, &action, NULL) == 0);
    for (int i = 0; i < 10; ++i) {
        raise(SIGURG);
        outer(part / 10);
        empty_region();
    }
    printf("%d\n", (int)others);
}

int main(int count, char** words) {
    CHECK(count == 3);
    const int ms = atoi(words[2]);
    const long part = ms * steps_of_ms() / 4;
    const char* const what = words[1];
    if (strcmp(what, "serial") == 0) serial(outer, part);
    if (strcmp(what, "deep") == 0) serial(recursion, part);
    if (strcmp(what, "library") == 0) in_library(part);
    if (strcmp(what, "reload") == 0) in_turn(part);
    if (strcmp(what, "unload") == 0) unload(ms);
    if (strcmp(what, "busy") == 0) busy(ms);
    if (strcmp(what, "register") == 0) stack_register(part);
    if (strcmp(what, "small") == 0) small(part);
    if (strcmp(what, "handler") == 0) handler(part);
    if (strcmp(what, "task") == 0) {
#pragma omp parallel num_threads(1)
        {
#pragma omp task
            {
                outer(part);
                sum += 1;
            }
        }
    }
    if (strcmp(what, "loop") == 0) {
#pragma omp parallel for num_threads(2) schedule(dynamic)
        for (int i = 0; i < 8; ++i) {
            outer(part / 8);
            sum += 1;
        }
    }
    return 0;
}

#endif
