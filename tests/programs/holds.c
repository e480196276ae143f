// SPDX-License-Identifier: Apache-2.0
// Holds locks of all kinds, and prints a line for each hold: its kind, the address of the lock, and
// the clock before and after the lock was taken, and before and after it was released. The program
// does not know the addresses of critical and ordered regions. It prints a number for each name of
// a critical region and for each ordered loop instead.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"

enum { CRITICAL = 1, LOCK, NEST_LOCK, ATOMIC, ORDERED }; // as in the recording
enum { MOST = 8192, ROUNDS = 40, MANY = 600, WORK = 2000 };

struct hold {
    int kind;
    unsigned long long address, before, taken, until, after;
};

static struct hold holds[MOST];
static int count;

static struct hold* new_hold(int kind, const volatile void* address) {
    const int place = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
    if (place >= MOST) exit(2);
    holds[place].kind = kind;
    holds[place].address = (unsigned long long)address;
    return &holds[place];
}

static void take(struct hold* hold, omp_lock_t* lock) {
    hold->before = ticks();
    omp_set_lock(lock);
    hold->taken = ticks();
}

// Not at once: short holds have no record.
static void give_back(struct hold* hold, omp_lock_t* lock) {
    work_for(WORK);
    hold->until = ticks();
    omp_unset_lock(lock);
    hold->after = ticks();
}

static void contended_lock(void) {
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel
    for (int i = 0; i < ROUNDS; ++i) {
        struct hold* hold = new_hold(LOCK, &lock);
        take(hold, &lock);
        work_for(WORK);
        give_back(hold, &lock);
    }
    omp_destroy_lock(&lock);
}

static void tested_lock(void) {
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(1)
    {
        struct hold* hold = new_hold(LOCK, &lock);
        hold->before = ticks();
        if (!omp_test_lock(&lock) || omp_test_lock(&lock)) exit(3);
        hold->taken = ticks();
        give_back(hold, &lock);
    }
    omp_destroy_lock(&lock);
}

static void nest_lock(void) {
    omp_nest_lock_t lock;
    omp_init_nest_lock(&lock);
#pragma omp parallel
    for (int i = 0; i < ROUNDS; ++i) {
        struct hold* hold = new_hold(NEST_LOCK, &lock);
        hold->before = ticks();
        omp_set_nest_lock(&lock);
        hold->taken = ticks();
        omp_set_nest_lock(&lock);
        if (omp_test_nest_lock(&lock) != 3) exit(4);
        work_for(WORK);
        omp_unset_nest_lock(&lock);
        omp_unset_nest_lock(&lock);
        hold->until = ticks();
        omp_unset_nest_lock(&lock);
        hold->after = ticks();
    }
    omp_destroy_nest_lock(&lock);
}

// Given back by another thread than the one that took it.
static void lock_handed_over(void) {
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
    for (int i = 0; i < ROUNDS; ++i) {
        static struct hold* hold;
        if (omp_get_thread_num() == i % 2) {
            hold = new_hold(LOCK, &lock);
            take(hold, &lock);
        }
#pragma omp barrier
        if (omp_get_thread_num() != i % 2) give_back(hold, &lock);
#pragma omp barrier
    }
    omp_destroy_lock(&lock);
}

// And not in the order in which they were taken.
static void many_locks_at_once(void) {
    static omp_lock_t locks[MANY];
    struct hold* of[MANY];
#pragma omp parallel num_threads(1)
    {
        for (int i = 0; i < MANY; ++i) {
            omp_init_lock(&locks[i]);
            of[i] = new_hold(LOCK, &locks[i]);
            take(of[i], &locks[i]);
        }
        for (int i = 0; i < MANY; ++i)
            give_back(of[i], &locks[i]);
    }
}

// A lock that was held when its memory got another one.
static void lock_made_anew(void) {
    omp_lock_t lock;
#pragma omp parallel num_threads(1)
    {
        omp_init_lock(&lock);
        omp_set_lock(&lock);
        omp_init_lock(&lock);
        struct hold* hold = new_hold(LOCK, &lock);
        take(hold, &lock);
        give_back(hold, &lock);
    }
}

#define CRITICAL_ROUND(NAME, NUMBER)                                                                                   \
    {                                                                                                                  \
        const unsigned long long before = ticks();                                                                     \
        struct hold* hold;                                                                                             \
        _Pragma(NAME) {                                                                                                \
            const unsigned long long taken = ticks();                                                                  \
            hold = new_hold(CRITICAL, (void*)NUMBER);                                                                  \
            hold->before = before;                                                                                     \
            hold->taken = taken;                                                                                       \
            work_for(WORK);                                                                                            \
            hold->until = ticks();                                                                                     \
        }                                                                                                              \
        hold->after = ticks();                                                                                         \
    }

static void critical_regions(void) {
#pragma omp parallel
    for (int i = 0; i < ROUNDS; ++i) {
        CRITICAL_ROUND("omp critical", 0L)
        CRITICAL_ROUND("omp critical(first)", 1L)
        CRITICAL_ROUND("omp critical(second)", 2L)
    }
}

// By the runtime's lock, as no processor does it alone.
static void atomic_updates(void) {
    static long double sum;
#pragma omp parallel
    for (int i = 0; i < ROUNDS; ++i) {
        struct hold* hold = new_hold(ATOMIC, 0);
        hold->before = ticks();
#pragma omp atomic
        sum += 1;
        hold->after = ticks();
        hold->taken = hold->after;
        hold->until = hold->before;
    }
}

#define ORDERED_ROUND(LOOP)                                                                                            \
    {                                                                                                                  \
        work_for(WORK);                                                                                                \
        struct hold* hold = new_hold(ORDERED, (void*)LOOP);                                                            \
        hold->before = ticks();                                                                                        \
        _Pragma("omp ordered") {                                                                                       \
            hold->taken = ticks();                                                                                     \
            work_for(WORK);                                                                                            \
            hold->until = ticks();                                                                                     \
        }                                                                                                              \
        hold->after = ticks();                                                                                         \
    }

static void ordered_loops(void) {
#pragma omp parallel
    {
#pragma omp for ordered schedule(dynamic)
        for (int i = 0; i < ROUNDS; ++i)
            ORDERED_ROUND(0L)
#pragma omp for ordered schedule(static, 3)
        for (int i = 0; i < ROUNDS; ++i)
            ORDERED_ROUND(1L)
#pragma omp for ordered schedule(guided)
        for (int i = 0; i < ROUNDS; ++i)
            ORDERED_ROUND(2L)
    }
#pragma omp parallel for ordered schedule(static) num_threads(1)
    for (int i = 0; i < ROUNDS; ++i)
        ORDERED_ROUND(3L)
}

int main(void) {
    contended_lock();
    tested_lock();
    nest_lock();
    lock_handed_over();
    many_locks_at_once();
    critical_regions();
    atomic_updates();
    ordered_loops();
    lock_made_anew();
    for (int i = 0; i < count; ++i)
        printf("%d %llu %llu %llu %llu %llu\n", holds[i].kind, holds[i].address, holds[i].before, holds[i].taken,
               holds[i].until, holds[i].after);
}
