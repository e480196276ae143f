/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests only: a library in runtime/test_objects, which tests load and make preemptible. It
 * calls the C library as a program does.
 */
#pragma once

#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>

typedef void (*Callback)(void* argument);

/* The registers that a task sees and the 128 bytes below its stack pointer. */
struct Canaries {
    unsigned char vectors[32][64] __attribute__((aligned(64)));
    uint64_t masks[8];
    uint64_t general[16]; /* rbx rbp rcx r8 ... r15 */
    uint64_t red_zone[16];
    double x87[8];
    uint32_t mxcsr;
    uint32_t control_word;
    uint64_t flags_changed;
};

struct Preempted {
    /* Counts until *stop is not 0. */
    void (*spin)(const volatile int* stop, volatile uint64_t* count);
    /* Each takes a lock, calls back, and gives it back. */
    void (*in_mutex)(Callback, void*);
    void (*in_try_mutex)(Callback, void*);
    void (*in_read_lock)(Callback, void*);
    void (*in_write_lock)(Callback, void*);
    void (*in_spin_lock)(Callback, void*);
    void (*in_c11_mutex)(Callback, void*);
    void (*in_file_lock)(Callback, void*);
    void (*in_condition)(Callback, void*); /* behind a wait that has timed out */
    void (*in_once)(Callback, void*);
    void (*in_c11_once)(Callback, void*);
    void (*in_static)(Callback, void*); /* the initialisation of a static */
    void (*in_program_headers)(Callback, void*);
    /* Spins with a mutex held until *stop, gives it back, and says so in *released. */
    void (*spin_in_mutex)(const volatile int* stop, volatile uint64_t* count, volatile int* released);
    /* Fails to take a lock, and to give back one that is not held. */
    void (*fail_at_locks)(void);
    /* Each sleeps for `ns` nanoseconds. Returns what the function returned. */
    int (*sleeps[8])(long ns);
    const char* sleep_names[8];
    int (*set_action)(int signal, const struct sigaction* wanted, struct sigaction* before);
    void (*(*set_handler)(int signal, void (*handler)(int)))(int);
    int (*set_mask)(int how, const sigset_t* wanted, sigset_t* before);
    pid_t (*make_child)(void);
    /*
     * Calls functions of other libraries again and again until *stop, and compares what they return.
     * Returns how many results were wrong.
     */
    uint64_t (*call_libraries[8])(const volatile int* stop, volatile uint64_t* count);
    const char* library_names[8];
    /* From before *stop to its end. `level`: 1 SSE, 2 AVX, 3 AVX-512. Null where there is no such code. */
    void (*keep_canaries)(const struct Canaries* in, struct Canaries* out, const volatile int* stop, int level);
};

/* The one function that is exported: preempted. */
typedef const struct Preempted* (*PreemptedFunction)(void);
