/* SPDX-License-Identifier: Apache-2.0 */
#include "preempt/preempted_library.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static void spin(const volatile int* stop, volatile uint64_t* count) {
    while (!*stop)
        ++*count;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void in_mutex(Callback call, void* argument) {
    pthread_mutex_lock(&mutex);
    call(argument);
    pthread_mutex_unlock(&mutex);
}

static void in_try_mutex(Callback call, void* argument) {
    if (pthread_mutex_trylock(&mutex) != 0) return;
    call(argument);
    pthread_mutex_unlock(&mutex);
}

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

static void in_read_lock(Callback call, void* argument) {
    pthread_rwlock_rdlock(&rwlock);
    call(argument);
    pthread_rwlock_unlock(&rwlock);
}

static void in_write_lock(Callback call, void* argument) {
    pthread_rwlock_wrlock(&rwlock);
    call(argument);
    pthread_rwlock_unlock(&rwlock);
}

static void in_spin_lock(Callback call, void* argument) {
    pthread_spinlock_t lock;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&lock);
    call(argument);
    pthread_spin_unlock(&lock);
}

static void in_c11_mutex(Callback call, void* argument) {
    mtx_t lock;
    mtx_init(&lock, mtx_plain);
    mtx_lock(&lock);
    call(argument);
    mtx_unlock(&lock);
    mtx_destroy(&lock);
}

static void in_file_lock(Callback call, void* argument) {
    flockfile(stderr);
    call(argument);
    funlockfile(stderr);
}

static struct timespec in_ns(clockid_t clock, long ns) {
    struct timespec now;
    clock_gettime(clock, &now);
    now.tv_nsec += ns;
    now.tv_sec += now.tv_nsec / 1000000000;
    now.tv_nsec %= 1000000000;
    return now;
}

static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void in_condition(Callback call, void* argument) {
    const struct timespec soon = in_ns(CLOCK_REALTIME, 1000);
    pthread_mutex_lock(&mutex);
    while (pthread_cond_timedwait(&condition, &mutex, &soon) == 0) {
    }
    call(argument);
    pthread_mutex_unlock(&mutex);
}

/* What a callback without an argument calls. */
static Callback pending_call;
static void* pending_argument;
static void call_pending(void) { pending_call(pending_argument); }

static void in_once(Callback call, void* argument) {
    pthread_once_t once = PTHREAD_ONCE_INIT;
    pending_call = call;
    pending_argument = argument;
    pthread_once(&once, call_pending);
}

static void in_c11_once(Callback call, void* argument) {
    once_flag once = ONCE_FLAG_INIT;
    pending_call = call;
    pending_argument = argument;
    call_once(&once, call_pending);
}

/* As a C++ compiler lays out the initialisation of a static. */
int __cxa_guard_acquire(int64_t* guard) __attribute__((weak));
void __cxa_guard_release(int64_t* guard) __attribute__((weak));

static void in_static(Callback call, void* argument) {
    int64_t guard = 0; /* of a static that is new each time */
    if (!__cxa_guard_acquire(&guard)) return;
    call(argument);
    __cxa_guard_release(&guard);
}

struct Call {
    Callback call;
    void* argument;
};

static int call_once_for_headers(struct dl_phdr_info* info, size_t bytes, void* data) {
    (void)info;
    (void)bytes;
    const struct Call* call = data;
    call->call(call->argument);
    return 1;
}

static void in_program_headers(Callback call, void* argument) {
    struct Call both = {call, argument};
    dl_iterate_phdr(call_once_for_headers, &both);
}

static void spin_in_mutex(const volatile int* stop, volatile uint64_t* count, volatile int* released) {
    pthread_mutex_lock(&mutex);
    spin(stop, count);
    pthread_mutex_unlock(&mutex);
    *released = 1;
}

static void fail_at_locks(void) {
    pthread_mutexattr_t kind;
    pthread_mutex_t checked;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checked, &kind);
    pthread_mutex_unlock(&checked);
    pthread_mutex_lock(&checked);
    pthread_mutex_trylock(&checked);
    pthread_mutex_lock(&checked);
    pthread_mutex_unlock(&checked);
}

static struct timespec of_ns(long ns) { return (struct timespec){ns / 1000000000, ns % 1000000000}; }

static int by_nanosleep(long ns) {
    const struct timespec time = of_ns(ns);
    return nanosleep(&time, NULL);
}
static int by_clock_nanosleep(long ns) {
    const struct timespec time = of_ns(ns);
    return clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}
static int by_usleep(long ns) { return usleep((useconds_t)(ns / 1000)); }
static int by_poll(long ns) { return poll(NULL, 0, (int)(ns / 1000000)); }
static int by_ppoll(long ns) {
    const struct timespec time = of_ns(ns);
    sigset_t none;
    sigemptyset(&none);
    return ppoll(NULL, 0, &time, &none);
}
static int by_select(long ns) {
    struct timeval time = {0, ns / 1000};
    return select(0, NULL, NULL, NULL, &time);
}
static int by_semaphore(long ns) {
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    const struct timespec limit = in_ns(CLOCK_REALTIME, ns);
    return sem_timedwait(&semaphore, &limit) == -1 && errno == ETIMEDOUT ? 0 : -1;
}
static int by_thrd_sleep(long ns) {
    const struct timespec time = of_ns(ns);
    return thrd_sleep(&time, NULL);
}

static int set_action(int number, const struct sigaction* wanted, struct sigaction* before) {
    return sigaction(number, wanted, before);
}
static void (*set_handler(int number, void (*handler)(int)))(int) { return signal(number, handler); }
static int set_mask(int how, const sigset_t* wanted, sigset_t* before) { return pthread_sigmask(how, wanted, before); }
static pid_t make_child(void) { return fork(); }

static uint64_t call_snprintf(const volatile int* stop, volatile uint64_t* count) {
    uint64_t wrong = 0;
    for (; !*stop; ++*count) {
        char text[64];
        const int bytes = snprintf(text, sizeof text, "%d %.3f %s", (int)(*count % 1000), 1.5, "end");
        wrong +=
            bytes != (int)strlen(text) || atoi(text) != (int)(*count % 1000) || strcmp(text + bytes - 3, "end") != 0;
    }
    return wrong;
}
static uint64_t call_malloc(const volatile int* stop, volatile uint64_t* count) {
    uint64_t wrong = 0;
    for (; !*stop; ++*count) {
        const size_t bytes = 64 + *count % 100;
        char* const memory = malloc(bytes);
        if (memory == NULL) return 1;
        memset(memory, 7, bytes);
        char* const larger = realloc(memory, 2 * bytes);
        wrong += larger == NULL || larger[0] != 7 || larger[bytes - 1] != 7;
        free(larger);
    }
    return wrong;
}
static uint64_t call_strcmp(const volatile int* stop, volatile uint64_t* count) {
    static const char* volatile texts[] = {"#commonprefix1", "#commonprefix2", "#commonprefix1"};
    uint64_t wrong = 0;
    for (; !*stop; ++*count)
        wrong += strcmp(texts[0], texts[2]) != 0 || strcmp(texts[0], texts[1]) >= 0 || strlen(texts[1]) != 14;
    return wrong;
}
static uint64_t call_sin(const volatile int* stop, volatile uint64_t* count) {
    uint64_t wrong = 0;
    for (; !*stop; ++*count) {
        const volatile double x = 1e-3 * (double)(*count % 10000);
        const double s = sin(x), c = cos(x);
        wrong += fabs(s * s + c * c - 1) > 1e-12 || fabs(exp(log(x + 1)) - (x + 1)) > 1e-9;
        const volatile long double y = x;
        wrong += fabsl(sqrtl(y * y) - y) > 1e-9L;
    }
    return wrong;
}
static uint64_t call_memcpy(const volatile int* stop, volatile uint64_t* count) {
    enum { BYTES = 1 << 20 };
    char* const from = malloc(BYTES);
    char* const to = malloc(BYTES);
    uint64_t wrong = from == NULL || to == NULL;
    for (; wrong == 0 && !*stop; ++*count) {
        memset(from, (int)(*count % 127), BYTES);
        memcpy(to, from, BYTES);
        wrong += memcmp(to, from, BYTES) != 0 || to[BYTES / 2] != (char)(*count % 127);
    }
    free(from);
    free(to);
    return wrong;
}
static uint64_t call_clock(const volatile int* stop, volatile uint64_t* count) {
    uint64_t wrong = 0;
    struct timespec before = {0, 0}, now;
    for (; !*stop; ++*count) {
        wrong += clock_gettime(CLOCK_MONOTONIC, &now) != 0;
        wrong += now.tv_sec < before.tv_sec || (now.tv_sec == before.tv_sec && now.tv_nsec < before.tv_nsec);
        before = now;
    }
    return wrong;
}
static int compare(const void* left, const void* right) {
    const int a = *(const int*)left, b = *(const int*)right;
    return (a > b) - (a < b);
}
static uint64_t call_qsort(const volatile int* stop, volatile uint64_t* count) {
    uint64_t wrong = 0;
    for (; !*stop; ++*count) {
        int values[100];
        for (int i = 0; i < 100; ++i)
            values[i] = i * 37 % 101;
        qsort(values, 100, sizeof *values, compare);
        for (int i = 1; i < 100; ++i)
            wrong += values[i - 1] > values[i];
    }
    return wrong;
}
static void jump(jmp_buf back, int depth) {
    char text[32];
    snprintf(text, sizeof text, "%d", depth);
    longjmp(back, (int)strlen(text));
}
static uint64_t call_setjmp(const volatile int* stop, volatile uint64_t* count) {
    volatile uint64_t wrong = 0;
    for (; !*stop; ++*count) {
        jmp_buf back;
        const int value = setjmp(back);
        if (value == 0) jump(back, 3);
        wrong += value != 1;
    }
    return wrong;
}

#if defined(__x86_64__)
void teff_test_keep_canaries(const struct Canaries* in, struct Canaries* out, const volatile int* stop, int level);
#else
#define teff_test_keep_canaries NULL
#endif

const struct Preempted* preempted(void);
const struct Preempted* preempted(void) {
    static const struct Preempted all = {
        .spin = spin,
        .in_mutex = in_mutex,
        .in_try_mutex = in_try_mutex,
        .in_read_lock = in_read_lock,
        .in_write_lock = in_write_lock,
        .in_spin_lock = in_spin_lock,
        .in_c11_mutex = in_c11_mutex,
        .in_file_lock = in_file_lock,
        .in_condition = in_condition,
        .in_once = in_once,
        .in_c11_once = in_c11_once,
        .in_static = in_static,
        .in_program_headers = in_program_headers,
        .spin_in_mutex = spin_in_mutex,
        .fail_at_locks = fail_at_locks,
        .sleeps = {by_nanosleep, by_clock_nanosleep, by_usleep, by_poll, by_ppoll, by_select, by_semaphore,
                   by_thrd_sleep},
        .sleep_names = {"nanosleep", "clock_nanosleep", "usleep", "poll", "ppoll", "select", "sem_timedwait",
                        "thrd_sleep"},
        .set_action = set_action,
        .set_handler = set_handler,
        .set_mask = set_mask,
        .make_child = make_child,
        .call_libraries = {call_snprintf, call_malloc, call_strcmp, call_sin, call_memcpy, call_clock, call_qsort,
                           call_setjmp},
        .library_names = {"snprintf", "malloc", "strcmp", "sin", "memcpy", "clock_gettime", "qsort", "setjmp"},
        .keep_canaries = teff_test_keep_canaries,
    };
    return &all;
}
