// SPDX-License-Identifier: Apache-2.0
// env: OMP_CANCELLATION=true OMP_MAX_ACTIVE_LEVELS=4
//
// Constructs of two halves, each inside the other's: the same functions twice. With run.py --halves
// one half is GCC's and the other one Clang's, which is a library. Otherwise one compiler compiles
// both.
#include "check.h"

// Declares what the half has that is not in this file.
#define DECLARE(half)                                                                                                  \
    void half##_region(int, void (*)(void*), void*);                                                                   \
    void half##_serial_region(void (*)(void*), void*);                                                                 \
    void half##_barrier(void);                                                                                         \
    void half##_single(void (*)(void*), void*);                                                                        \
    int half##_copy_from_single(int);                                                                                  \
    void half##_critical(long*);                                                                                       \
    void half##_atomic(long double*);                                                                                  \
    void half##_masked(void (*)(void*), void*);                                                                        \
    void half##_static_loop(int, int*);                                                                                \
    void half##_dynamic_loop(int, int*);                                                                               \
    void half##_guided_loop(int, int*);                                                                                \
    void half##_ordered_loop(int, int*);                                                                               \
    void half##_chained_loop(int, int*);                                                                               \
    void half##_sections(int*);                                                                                        \
    long half##_sum_of_loop(int);                                                                                      \
    void half##_add_by_loop(int, long*);                                                                               \
    void half##_task(void (*)(void*), void*);                                                                          \
    void half##_undeferred_task(void (*)(void*), void*);                                                               \
    void half##_untied_task(void (*)(void*), void*);                                                                   \
    void half##_writer(int*, void (*)(void*), void*);                                                                  \
    void half##_reader(int*, void (*)(void*), void*);                                                                  \
    void half##_writer_that_is_not_deferred(int*, void (*)(void*), void*);                                             \
    void half##_wait(void);                                                                                            \
    void half##_wait_for(int*);                                                                                        \
    void half##_group(void (*)(void*), void*);                                                                         \
    void half##_taskloop(int, int*);                                                                                   \
    void half##_detached(omp_event_handle_t*, int*);                                                                   \
    void half##_fulfil(omp_event_handle_t*);                                                                           \
    void half##_cancel_group(void);                                                                                    \
    int half##_group_of_tasks(void (*)(void*), void*, int);                                                            \
    int half##_cancelled_loop(int);                                                                                    \
    void half##_lock(omp_lock_t*, long*);                                                                              \
    void half##_init_lock(omp_lock_t*);                                                                                \
    void half##_destroy_lock(omp_lock_t*);                                                                             \
    void half##_store_number(int);                                                                                     \
    int half##_load_number(void);                                                                                      \
    void half##_copy_number_in(void (*)(void*), void*);

DECLARE(first)
DECLARE(second)

#ifndef ONLY_FIRST
#define HALF(name) second_##name
#include "halves/constructs.h"
#undef HALF
int number_of_thread = 7;
#endif

#ifndef ONLY_SECOND
#define HALF(name) first_##name
#include "halves/constructs.h"
#undef HALF

enum { kThreads = 4, kCount = 60 };

// ---- a team whose members meet constructs of both ----

struct Team {
    long counters[2], sum;
    long double exact[2];
    int touched[8][kCount], sections[2][3], next[2], chain[2][kCount], copied, singles;
};

static void count_single(void* data) { ((struct Team*)data)->singles++; }

static void member(void* data) {
    struct Team* const team = data;
    const int inside = omp_get_level();
    CHECK_EQ(omp_get_num_threads(), kThreads);
    for (int i = 0; i < 8; i++) {
        first_critical(&team->counters[0]);
        second_critical(&team->counters[1]);
        first_atomic(&team->exact[0]);
        second_atomic(&team->exact[1]);
    }
    first_static_loop(kCount, team->touched[0]);
    second_static_loop(kCount, team->touched[1]);
    first_dynamic_loop(kCount, team->touched[2]);
    second_dynamic_loop(kCount, team->touched[3]);
    first_dynamic_loop(kCount, team->touched[4]);
    second_guided_loop(kCount, team->touched[5]);
    first_guided_loop(kCount, team->touched[6]);
    first_sections(team->sections[0]);
    second_sections(team->sections[1]);
    first_ordered_loop(kCount, &team->next[0]);
    second_ordered_loop(kCount, &team->next[1]);
    first_chained_loop(kCount, team->chain[0]);
    second_chained_loop(kCount, team->chain[1]);
    first_single(count_single, team);
    second_single(count_single, team);
    first_masked(count_single, team);
    second_barrier();
    second_masked(count_single, team);
    first_barrier();
    CHECK_EQ(first_copy_from_single(5), 5);
    CHECK_EQ(second_copy_from_single(6), 6);
    first_add_by_loop(kCount, &team->sum);
    second_add_by_loop(kCount, &team->sum);
    second_taskloop(kCount, team->touched[7]);
    first_wait();
    CHECK_EQ(omp_get_level(), inside);
}

static void check_team(void (*region)(int, void (*)(void*), void*)) {
    static struct Team none;
    struct Team team = none;
    region(kThreads, member, &team);
    CHECK_EQ(team.counters[0], 8 * kThreads);
    CHECK_EQ(team.counters[1], 8 * kThreads);
    CHECK(team.exact[0] == 8 * kThreads && team.exact[1] == 8 * kThreads);
    CHECK_EQ(team.sum, kCount * (kCount - 1));
    CHECK_EQ(team.singles, 4);
    for (int i = 0; i < kCount; i++) {
        for (int loop = 0; loop < 7; loop++)
            CHECK_EQ(team.touched[loop][i], 1);
        CHECK_EQ(team.touched[7][i], kThreads);
        CHECK_EQ(team.chain[0][i], i);
        CHECK_EQ(team.chain[1][i], i);
    }
    for (int i = 0; i < 3; i++)
        CHECK(team.sections[0][i] == 1 && team.sections[1][i] == 1);
}

// ---- regions in regions ----

static void innermost(void* data) { __atomic_fetch_add((int*)data, 1, __ATOMIC_RELAXED); }
static void inner_of_second(void* data) { second_region(2, innermost, data); }
static void inner_of_first(void* data) { first_region(2, innermost, data); }
static void serial_of_first(void* data) { first_serial_region(inner_of_second, data); }
static void sums(void* data) {
    CHECK_EQ(first_sum_of_loop(10) + second_sum_of_loop(10), 90);
    innermost(data);
}

static void check_nesting(void* data) {
    (void)data;
    int count = 0;
    first_region(2, inner_of_second, &count);
    second_region(2, inner_of_first, &count);
    second_serial_region(inner_of_first, &count);
    second_region(2, serial_of_first, &count);
    CHECK_EQ(count, 4 + 4 + 2 + 4);
    first_region(3, sums, &count);
    second_region(3, sums, &count);
    CHECK_EQ(count, 20);
}

// ---- tasks ----

static void yielding(void* data) {
    innermost(data);
    second_task(innermost, data);
    first_task(innermost, data);
}
static void with_children(void* data) {
    second_untied_task(yielding, data);
    first_untied_task(yielding, data);
    second_undeferred_task(innermost, data);
    first_undeferred_task(innermost, data);
    first_wait();
    second_group(yielding, data);
    first_group(yielding, data);
}
static void create(void* data) {
    for (int i = 0; i < 10; i++) {
        first_task(with_children, data);
        second_task(with_children, data);
    }
}

struct Chain {
    int value, at;
};
static void step(void* data) { ((struct Chain*)data)->at++; }
static void look(void* data) { CHECK_EQ(((struct Chain*)data)->at % 2, 0); }
static void create_chain(void* data) {
    struct Chain* const chain = data;
    for (int i = 0; i < 20; i++) {
        first_writer(&chain->value, step, chain);
        second_writer(&chain->value, step, chain);
        first_reader(&chain->value, look, chain);
        second_reader(&chain->value, look, chain);
    }
    second_wait_for(&chain->value);
    CHECK_EQ(chain->at, 40);
    first_writer(&chain->value, step, chain);
    second_writer_that_is_not_deferred(&chain->value, step, chain);
    CHECK_EQ(chain->at, 42);
    second_writer(&chain->value, step, chain);
    first_writer_that_is_not_deferred(&chain->value, step, chain);
    CHECK_EQ(chain->at, 44);
}

struct Detached {
    omp_event_handle_t events[2];
    int values[2][2]; // of each task: what it depends on, and whether it has run
};
static void fulfil_seconds(void* data) {
    struct Detached* const all = data;
    check_wait_for(&all->values[1][1], 1);
    first_fulfil(&all->events[1]);
}
static void see(void* data) {
    CHECK_EQ(*(int*)data, 1);
    *(int*)data = 2;
}
static void detach(void* data) {
    struct Detached* const all = data;
    first_detached(&all->events[0], all->values[0]);
    second_detached(&all->events[1], all->values[1]);
    second_reader(all->values[0], see, all->values[0]);
    first_reader(all->values[1], see, all->values[1]);
    second_untied_task(innermost, &(int){0});
    first_task(fulfil_seconds, all);
    first_wait_for(&(int){0});
    check_wait_for(&all->values[0][1], 1);
    second_fulfil(&all->events[0]);
    second_wait();
    CHECK(all->values[0][0] == 2 && all->values[1][0] == 2);
}

static void in_single_of_second(void* data) {
    const struct {
        void (*code)(void*);
        void* data;
    }* const call = data;
    second_single(call->code, call->data);
}

static void check_tasks(void (*region)(int, void (*)(void*), void*)) {
    struct {
        void (*code)(void*);
        void* data;
    } call;
    int count = 0;
    call.code = create;
    call.data = &count;
    region(kThreads, in_single_of_second, &call);
    // A untied task calls its code three times, and `yielding` counts three.
    CHECK_EQ(count, 20 * (2 * 9 + 2 + 2 * 3));
    struct Chain chain = {0, 0};
    call.code = create_chain;
    call.data = &chain;
    region(kThreads, in_single_of_second, &call);
}

static void check_detached(void (*region)(int, void (*)(void*), void*)) {
    struct {
        void (*code)(void*);
        void* data;
    } call;
    struct Detached all;
    memset(&all, 0, sizeof all);
    call.code = detach;
    call.data = &all;
    region(kThreads, in_single_of_second, &call);
}

// ---- cancellation ----

static void cancel_by_first(void* data) { (void)data, first_cancel_group(); }
static void cancel_by_second(void* data) { (void)data, second_cancel_group(); }

static void cancel(void* data) {
    (void)data;
    CHECK_EQ(first_group_of_tasks(cancel_by_second, NULL, 5), 0);
    CHECK_EQ(second_group_of_tasks(cancel_by_first, NULL, 5), 0);
    CHECK(first_cancelled_loop(1000) < 1000);
    CHECK(second_cancelled_loop(1000) < 1000);
}
static void check_cancellation(void) {
    first_region(2, cancel, NULL);
    second_region(2, cancel, NULL);
}

// ---- locks and threadprivate data ----

// A lock is larger in the code of one compiler.
union Lock {
    omp_lock_t lock;
    long long room[2];
};
struct Locked {
    union Lock* lock;
    long counter;
};
static void lock_by_both(void* data) {
    struct Locked* const locked = data;
    for (int i = 0; i < 20; i++) {
        first_lock(&locked->lock->lock, &locked->counter);
        second_lock(&locked->lock->lock, &locked->counter);
    }
}

static void check_locks(void) {
    union Lock lock;
    memset(&lock, 0, sizeof lock);
    struct Locked locked = {&lock, 0};
    first_init_lock(&lock.lock);
    second_region(kThreads, lock_by_both, &locked);
    second_destroy_lock(&lock.lock);
    second_init_lock(&lock.lock);
    first_region(kThreads, lock_by_both, &locked);
    first_destroy_lock(&lock.lock);
    CHECK_EQ(locked.counter, 2 * kThreads * 40);
}

static void store(void* data) {
    (void)data;
    const int mine = 100 + omp_get_thread_num();
    first_store_number(mine);
    CHECK_EQ(second_load_number(), mine);
}
static void load(void* data) {
    (void)data;
    CHECK_EQ(first_load_number(), 100 + omp_get_thread_num());
    CHECK_EQ(second_load_number(), 100 + omp_get_thread_num());
}
static void load_copy(void* data) {
    (void)data;
    CHECK_EQ(first_load_number(), 9);
    CHECK_EQ(second_load_number(), 9);
}

static void check_threadprivate(void) {
    CHECK_EQ(first_load_number(), 7);
    second_region(3, store, NULL);
    first_region(3, load, NULL);
    second_region(3, load, NULL);
    second_store_number(9);
    first_copy_number_in(load_copy, NULL);
    second_copy_number_in(load_copy, NULL);
}

int main(void) {
    omp_set_dynamic(0);
    for (int i = 0; i < 5; i++) {
        check_team(first_region);
        check_team(second_region);
        check_nesting(NULL);
        check_tasks(first_region);
        check_tasks(second_region);
        check_detached(first_region);
        check_detached(second_region);
        check_locks();
    }
    first_region(2, check_nesting, NULL);
    check_cancellation();
    check_threadprivate();
}
#endif
