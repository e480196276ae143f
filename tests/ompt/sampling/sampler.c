// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "sampler.h"

#include <link.h>
#include <omp-tools.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

enum { MOST_THREADS = 64, MOST_LEVELS = 16, ENOUGH = 300 };

#define EXPORT __attribute__((visibility("default")))

static ompt_set_callback_t set_callback;
static ompt_get_state_t get_state;
static ompt_get_thread_data_t get_thread_data;
static ompt_get_parallel_info_t get_parallel_info;
static ompt_get_task_info_t get_task_info;

// ---- Faults: a counter for each kind, told at the end
// ------------------------------------------------------------------

#define FAULTS(with)                                                                                                   \
    with(thread_data, "ompt_get_thread_data is not that of the thread")                                                \
        with(state, "in the program's code, ompt_get_state says another state than serial or parallel work")           \
            with(no_task, "in the program's code, ompt_get_task_info has no task")                                     \
                with(unnamed, "in the program's code, the task's or region's data is not what the tool stored")        \
                    with(region, "ompt_get_task_info and ompt_get_parallel_info disagree about the region")            \
                        with(number, "the thread number is not below the team's size") with(                           \
                            exit_frame, "in the program's code, the task's exit_frame is not above the stack pointer") \
                            with(enter_frame, "in the program's code, the task's enter_frame is set") with(            \
                                order,                                                                                 \
                                "on one stack, a task's enter_frame is below the exit_frame of the next inner task")   \
                                with(levels, "there is no end of levels")

#define NAME(fault, text) fault_##fault,
enum Fault { FAULTS(NAME) FAULT_COUNT };
#define TEXT(fault, text) text,
static const char* const fault_texts[] = {FAULTS(TEXT)};
static atomic_int faults[FAULT_COUNT];

static void expect(int condition, enum Fault fault) {
    if (!condition) atomic_fetch_add(&faults[fault], 1);
}

// ---- Threads
// -----------------------------------------------------------------------------------------------------------

typedef struct Thread {
    pthread_t handle;
    const char *stack_low, *stack_high;
    atomic_int sent, taken;
    int alive; // under threads_lock
    ompt_data_t* data;
} Thread;

static pthread_mutex_t threads_lock = PTHREAD_MUTEX_INITIALIZER;
static Thread threads[MOST_THREADS];
static int thread_count; // under threads_lock
static _Thread_local Thread* self;

static atomic_int samples_serial, samples_parallel, samples_runtime;
static atomic_int stop;
static uintptr_t program_low, program_high;

// ---- The handler
// -------------------------------------------------------------------------------------------------------

static int on_stack(ompt_data_t frame) {
    return (const char*)frame.ptr >= self->stack_low && (const char*)frame.ptr <= self->stack_high;
}

// What holds wherever the thread was interrupted.
static void look_at_levels(void) {
    ompt_data_t inner = ompt_data_none;
    int level = 0;
    for (; level < MOST_LEVELS; ++level) {
        ompt_data_t *task = NULL, *parallel = NULL;
        ompt_frame_t* frame = NULL;
        int flags = 0, number = 0;
        int known = get_task_info(level, &flags, &task, &frame, &parallel, &number);
        if (known == 0) break;
        if (known != 2 || !frame) continue;
        ompt_frame_t now = *frame;
        if (now.enter_frame.ptr && inner.ptr && on_stack(now.enter_frame) && on_stack(inner))
            expect(now.enter_frame.ptr >= inner.ptr, fault_order);
        inner = now.exit_frame;
    }
    expect(level < MOST_LEVELS, fault_levels);
    for (level = 0; level < MOST_LEVELS; ++level) {
        ompt_data_t* parallel = NULL;
        int size = 0;
        if (get_parallel_info(level, &parallel, &size) == 0) break;
    }
    expect(level < MOST_LEVELS, fault_levels);
}

static int named(const ompt_data_t* data, char letter) { return data && data->value >> 56 == (uint64_t)letter; }

// What holds in the program's own code, where the runtime is in the middle of nothing.
static void look_at_program(const char* stack_pointer) {
    ompt_wait_id_t wait_id = 0;
    ompt_data_t *task = NULL, *parallel = NULL, *same = NULL;
    ompt_frame_t* frame = NULL;
    int flags = 0, number = -1, size = 0, state = get_state(&wait_id);
    expect(state == ompt_state_work_serial || state == ompt_state_work_parallel, fault_state);
    if (get_task_info(0, &flags, &task, &frame, &parallel, &number) != 2 || !frame) {
        expect(0, fault_no_task);
        return;
    }
    int initial = (flags & 0xff) == ompt_task_initial;
    expect(named(task, 'K') && (initial || named(parallel, 'P')), fault_unnamed);
    expect(get_parallel_info(0, &same, &size) == 2 && same == parallel, fault_region);
    expect(number >= 0 && number < size, fault_number);
    const char* const exit = frame->exit_frame.ptr;
    // The program's own frame may have called the code, and is then the one that is interrupted.
    const int above =
        exit > stack_pointer || (exit == stack_pointer && (frame->exit_frame_flags & ompt_frame_application));
    expect(initial || (on_stack(frame->exit_frame) && above), fault_exit_frame);
    expect(!frame->enter_frame.ptr, fault_enter_frame);
    atomic_fetch_add(state == ompt_state_work_serial ? &samples_serial : &samples_parallel, 1);
}

static void on_signal(int signal, siginfo_t* info, void* context) {
    (void)signal, (void)info;
    const greg_t* registers = ((ucontext_t*)context)->uc_mcontext.gregs;
    uintptr_t at = (uintptr_t)registers[REG_RIP];
    if (self) {
        expect(get_thread_data() == self->data, fault_thread_data);
        get_state(NULL);
        look_at_levels();
        if (at >= program_low && at < program_high) look_at_program((const char*)registers[REG_RSP]);
        else atomic_fetch_add(&samples_runtime, 1);
        atomic_fetch_add(&self->taken, 1);
    }
}

// ---- The thread that interrupts the others
// -----------------------------------------------------------------------------

static pthread_t interrupter;

static void* interrupt_all(void* unused) {
    while (!atomic_load(&stop)) {
        pthread_mutex_lock(&threads_lock);
        for (int i = 0; i < thread_count; ++i) {
            Thread* thread = &threads[i];
            if (!thread->alive || atomic_load(&thread->sent) != atomic_load(&thread->taken)) continue;
            atomic_fetch_add(&thread->sent, 1);
            pthread_kill(thread->handle, SIGPROF);
        }
        pthread_mutex_unlock(&threads_lock);
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL); // a thread must also get somewhere between its samples
    }
    return unused;
}

static void start_interrupting(void) {
    sigset_t all, before;
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigaction(SIGPROF, &action, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&interrupter, NULL, interrupt_all, NULL)) abort();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

// ---- The tool
// ----------------------------------------------------------------------------------------------------------

static atomic_ulong last_name;

static void name(ompt_data_t* data, char letter) {
    data->value = ((uint64_t)letter << 56) + atomic_fetch_add(&last_name, 1) + 1;
}

static void on_thread_begin(ompt_thread_t type, ompt_data_t* data) {
    (void)type;
    pthread_attr_t attributes;
    void* low;
    size_t bytes;
    name(data, 'T');
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &low, &bytes);
    pthread_attr_destroy(&attributes);
    pthread_mutex_lock(&threads_lock);
    if (thread_count == MOST_THREADS) abort();
    Thread* thread = &threads[thread_count++];
    thread->handle = pthread_self();
    thread->stack_low = low;
    thread->stack_high = (char*)low + bytes;
    thread->data = data;
    thread->alive = 1;
    self = thread; // before the first signal: one that finds no thread would never be counted as taken
    pthread_mutex_unlock(&threads_lock);
}

static void on_thread_end(ompt_data_t* data) {
    (void)data;
    Thread* mine = self;
    self = NULL; // from here on the runtime may take the thread apart
    pthread_mutex_lock(&threads_lock);
    mine->alive = 0;
    pthread_mutex_unlock(&threads_lock);
}

static void on_parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* parallel, unsigned requested,
                              int flags, const void* codeptr_ra) {
    (void)task, (void)frame, (void)requested, (void)flags, (void)codeptr_ra;
    name(parallel, 'P');
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t* task, unsigned size,
                             unsigned index, int flags) {
    (void)parallel, (void)size, (void)index, (void)flags;
    if (endpoint == ompt_scope_begin) name(task, 'K');
}

static void on_task_create(ompt_data_t* parent, const ompt_frame_t* frame, ompt_data_t* task, int flags,
                           int has_dependences, const void* codeptr_ra) {
    (void)parent, (void)frame, (void)flags, (void)has_dependences, (void)codeptr_ra;
    name(task, 'K');
}

// The first object that is told of is the program.
static int find_program(struct dl_phdr_info* object, size_t size, void* unused) {
    (void)size, (void)unused;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr)* part = &object->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        program_low = object->dlpi_addr + part->p_vaddr;
        program_high = program_low + part->p_memsz;
    }
    return 1;
}

static int initialize(ompt_function_lookup_t lookup, int initial_device_num, ompt_data_t* tool_data) {
    (void)initial_device_num, (void)tool_data;
    set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
    get_state = (ompt_get_state_t)lookup("ompt_get_state");
    get_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
    get_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
    get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
    set_callback(ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin);
    set_callback(ompt_callback_thread_end, (ompt_callback_t)on_thread_end);
    set_callback(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
    set_callback(ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task);
    set_callback(ompt_callback_task_create, (ompt_callback_t)on_task_create);
    dl_iterate_phdr(find_program, NULL);
    start_interrupting();
    return 1;
}

static void finalize(ompt_data_t* tool_data) { (void)tool_data; }

EXPORT ompt_start_tool_result_t* ompt_start_tool(unsigned omp_version, const char* runtime_version) {
    static ompt_start_tool_result_t result = {initialize, finalize, ompt_data_none};
    return omp_version && runtime_version ? &result : NULL;
}

// ---- For the program
// ---------------------------------------------------------------------------------------------------

EXPORT int sampler_has_serial(void) { return atomic_load(&samples_serial) >= ENOUGH; }
EXPORT int sampler_has_parallel(void) {
    return atomic_load(&samples_parallel) >= ENOUGH && atomic_load(&samples_runtime) >= ENOUGH;
}

EXPORT int sampler_end(void) {
    int kinds = 0;
    atomic_store(&stop, 1);
    pthread_join(interrupter, NULL);
    for (int i = 0; i < FAULT_COUNT; ++i) {
        if (!atomic_load(&faults[i])) continue;
        ++kinds;
        fprintf(stderr, "%d times: %s\n", atomic_load(&faults[i]), fault_texts[i]);
    }
    return kinds;
}
